"""The tables of the chat: Mattermost's names in lower case, as its Postgres has them; they are read as an outbox."""

from __future__ import annotations

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, createat INTEGER, updateat INTEGER, deleteat INTEGER DEFAULT 0, username TEXT UNIQUE COLLATE NOCASE,
  password TEXT DEFAULT '', email TEXT DEFAULT '', nickname TEXT DEFAULT '', firstname TEXT DEFAULT '',
  lastname TEXT DEFAULT '', roles TEXT DEFAULT 'system_user', props TEXT DEFAULT '{}', locale TEXT DEFAULT 'en');
CREATE TABLE IF NOT EXISTS bots (
  userid TEXT PRIMARY KEY, description TEXT, ownerid TEXT, createat INTEGER, updateat INTEGER, deleteat INTEGER DEFAULT 0,
  displayname TEXT DEFAULT '');
CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, userid TEXT NOT NULL, createat INTEGER);
CREATE TABLE IF NOT EXISTS useraccesstokens (
  id TEXT PRIMARY KEY, hash TEXT UNIQUE, userid TEXT NOT NULL, description TEXT, isactive INTEGER DEFAULT 1);
CREATE TABLE IF NOT EXISTS teams (
  id TEXT PRIMARY KEY, createat INTEGER, updateat INTEGER, deleteat INTEGER DEFAULT 0, displayname TEXT,
  name TEXT UNIQUE, description TEXT DEFAULT '', type TEXT);
CREATE TABLE IF NOT EXISTS teammembers (
  teamid TEXT, userid TEXT, roles TEXT DEFAULT '', deleteat INTEGER DEFAULT 0, createat INTEGER, PRIMARY KEY (teamid, userid));
CREATE TABLE IF NOT EXISTS channels (
  id TEXT PRIMARY KEY, createat INTEGER, updateat INTEGER, deleteat INTEGER DEFAULT 0, teamid TEXT, type TEXT,
  displayname TEXT, name TEXT, header TEXT DEFAULT '', purpose TEXT DEFAULT '', lastpostat INTEGER DEFAULT 0,
  totalmsgcount INTEGER DEFAULT 0, creatorid TEXT DEFAULT '', UNIQUE (teamid, name));
CREATE TABLE IF NOT EXISTS channelmembers (
  channelid TEXT, userid TEXT, roles TEXT DEFAULT '', lastviewedat INTEGER DEFAULT 0, msgcount INTEGER DEFAULT 0,
  mentioncount INTEGER DEFAULT 0, notifyprops TEXT DEFAULT '{}', lastupdateat INTEGER, PRIMARY KEY (channelid, userid));
CREATE INDEX IF NOT EXISTS idx_channelmembers_user ON channelmembers (userid);
CREATE TABLE IF NOT EXISTS posts (
  id TEXT PRIMARY KEY, createat INTEGER, updateat INTEGER, deleteat INTEGER DEFAULT 0, editat INTEGER DEFAULT 0,
  userid TEXT, channelid TEXT, rootid TEXT DEFAULT '', originalid TEXT DEFAULT '', message TEXT, type TEXT DEFAULT '',
  props TEXT DEFAULT '{}', hashtags TEXT DEFAULT '', filenames TEXT DEFAULT '[]', fileids TEXT DEFAULT '[]',
  hasreactions INTEGER DEFAULT 0, ispinned INTEGER DEFAULT 0, remoteid TEXT DEFAULT '');
CREATE INDEX IF NOT EXISTS idx_posts_update_at ON posts (updateat, id);
CREATE INDEX IF NOT EXISTS idx_posts_channel_id_update_at ON posts (channelid, updateat);
CREATE INDEX IF NOT EXISTS idx_posts_channel_id_create_at ON posts (channelid, createat, id);
CREATE INDEX IF NOT EXISTS idx_posts_root ON posts (rootid);
CREATE TABLE IF NOT EXISTS reactions (
  userid TEXT, postid TEXT, emojiname TEXT, createat INTEGER, updateat INTEGER, deleteat INTEGER DEFAULT 0,
  remoteid TEXT DEFAULT '', channelid TEXT, PRIMARY KEY (postid, userid, emojiname));
CREATE INDEX IF NOT EXISTS idx_reactions_update_at ON reactions (updateat);
"""
