"""The tables of the forge. `hook_task` has Gitea's columns, for it is read as Gitea's own outbox is."""

from __future__ import annotations

SCHEMA = """
CREATE TABLE IF NOT EXISTS account (
  id INTEGER PRIMARY KEY, login TEXT NOT NULL UNIQUE COLLATE NOCASE, full_name TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '', password TEXT NOT NULL DEFAULT '', is_admin INTEGER NOT NULL DEFAULT 0,
  is_org INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, description TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS org_owner (org_id INTEGER, user_id INTEGER, PRIMARY KEY (org_id, user_id));
CREATE TABLE IF NOT EXISTS access_token (
  id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  last_eight TEXT NOT NULL, scopes TEXT NOT NULL, created INTEGER NOT NULL, UNIQUE (user_id, name));
CREATE TABLE IF NOT EXISTS repository (
  id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL, name TEXT NOT NULL COLLATE NOCASE, description TEXT NOT NULL,
  private INTEGER NOT NULL, default_branch TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  last_index INTEGER NOT NULL DEFAULT 0, UNIQUE (owner_id, name));
CREATE TABLE IF NOT EXISTS collaborator (
  repo_id INTEGER, user_id INTEGER, permission TEXT NOT NULL, PRIMARY KEY (repo_id, user_id));
CREATE TABLE IF NOT EXISTS branch (repo_id INTEGER, name TEXT, sha TEXT NOT NULL, PRIMARY KEY (repo_id, name));
CREATE TABLE IF NOT EXISTS protection (
  id INTEGER PRIMARY KEY, repo_id INTEGER NOT NULL, rule_name TEXT NOT NULL, settings TEXT NOT NULL,
  created INTEGER NOT NULL, UNIQUE (repo_id, rule_name));
CREATE TABLE IF NOT EXISTS webhook (
  id INTEGER PRIMARY KEY, repo_id INTEGER NOT NULL, url TEXT NOT NULL, secret TEXT NOT NULL, content_type TEXT NOT NULL,
  events TEXT NOT NULL, active INTEGER NOT NULL, branch_filter TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS pull (
  id INTEGER PRIMARY KEY, repo_id INTEGER NOT NULL, number INTEGER NOT NULL, author_id INTEGER NOT NULL,
  title TEXT NOT NULL, body TEXT NOT NULL, head TEXT NOT NULL, base TEXT NOT NULL, head_sha TEXT NOT NULL,
  merge_base TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'open', merged INTEGER NOT NULL DEFAULT 0,
  merged_by INTEGER, merged_at INTEGER, merge_sha TEXT, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  closed_at INTEGER, UNIQUE (repo_id, number));
CREATE TABLE IF NOT EXISTS review (
  id INTEGER PRIMARY KEY AUTOINCREMENT, pull_id INTEGER NOT NULL, user_id INTEGER NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL,
  commit_id TEXT NOT NULL, official INTEGER NOT NULL, stale INTEGER NOT NULL DEFAULT 0,
  dismissed INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, updated INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS review_pull ON review (pull_id);
CREATE TABLE IF NOT EXISTS review_comment (
  id INTEGER PRIMARY KEY AUTOINCREMENT, review_id INTEGER NOT NULL, user_id INTEGER NOT NULL, path TEXT NOT NULL,
  line INTEGER NOT NULL, body TEXT NOT NULL, commit_id TEXT NOT NULL, created INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS comment (
  id INTEGER PRIMARY KEY AUTOINCREMENT, pull_id INTEGER NOT NULL, user_id INTEGER NOT NULL, type TEXT NOT NULL,
  body TEXT NOT NULL DEFAULT '', review_id INTEGER NOT NULL DEFAULT 0, extra TEXT NOT NULL DEFAULT '{}',
  created INTEGER NOT NULL, updated INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS comment_pull ON comment (pull_id);
CREATE TABLE IF NOT EXISTS push_queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repo_id INTEGER NOT NULL, pusher_id INTEGER NOT NULL, ref TEXT NOT NULL,
  "before" TEXT NOT NULL, "after" TEXT NOT NULL, pulls TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS hook_task (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, hook_id INTEGER, uuid TEXT NOT NULL UNIQUE, payload_content TEXT,
  payload_version INTEGER DEFAULT 2, event_type TEXT, is_delivered INTEGER, delivered INTEGER, is_succeed INTEGER,
  request_content TEXT, response_content TEXT);
"""
