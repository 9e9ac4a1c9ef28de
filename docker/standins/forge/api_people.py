"""People, organisations, tokens and what the server says of itself."""

from __future__ import annotations

from typing import Any

from standins.forge import shapes
from standins.forge.forge import Forge
from standins.forge.handlers import HANDLERS, MOST_ITEMS, USUAL_ITEMS, need_admin, need_user, paged
from standins.web import Answer, Call, Refused

VERSION = "1.27.3+stand-in"


@HANDLERS("GET", "/version")
def version(forge: Forge, call: Call) -> Answer:
    return Answer({"version": VERSION})


@HANDLERS("GET", "/settings/api")
def settings(forge: Forge, call: Call) -> Answer:
    sizes = {
        "default_git_trees_per_page": 1000,
        "default_max_blob_size": 10485760,
        "default_max_response_size": 104857600,
    }
    return Answer({"max_response_items": MOST_ITEMS, "default_paging_num": USUAL_ITEMS, **sizes})


@HANDLERS("GET", "/user")
def myself(forge: Forge, call: Call) -> Answer:
    return Answer(shapes.user(forge, need_user(call)))


@HANDLERS("GET", "/users/{username}")
def somebody(forge: Forge, call: Call) -> Answer:
    account = forge.account(call.params["username"])
    if account is None:
        raise Refused(404, "user redirect does not exist")
    return Answer(shapes.user(forge, account))


@HANDLERS("GET", "/admin/users")
def everybody(forge: Forge, call: Call) -> Answer:
    need_admin(call)
    rows = forge.store.all("SELECT * FROM account WHERE is_org = 0 ORDER BY login")
    return paged(call, rows, lambda row: shapes.user(forge, row))


@HANDLERS("POST", "/admin/users")
def add_user(forge: Forge, call: Call) -> Answer:
    need_admin(call)
    email, password = call.text("email"), call.text("password")
    if not email:
        raise Refused(422, "email is required")
    if forge.store.value("SELECT 1 FROM account WHERE email = ?", email):
        raise Refused(422, f"e-mail already in use [email: {email}]")
    made = forge.add_account(call.text("username"), password, email=email, full_name=call.text("full_name"))
    return Answer(shapes.user(forge, made), 201)


@HANDLERS("POST", "/users/{username}/tokens")
def mint(forge: Forge, call: Call) -> Answer:
    doer = need_user(call)
    if not doer["basic"]:
        raise Refused(401, "auth required: a token cannot mint tokens, use HTTP Basic")
    account = forge.account(call.params["username"])
    if account is None:
        raise Refused(404, "user does not exist")
    if account["id"] != doer["id"] and not doer["is_admin"]:
        raise Refused(403, "doer should be the site admin or be same as the contextUser")
    scopes: Any = call.body.get("scopes") or []
    if not isinstance(scopes, list) or not scopes:
        raise Refused(400, "access token must have a scope")
    if not call.text("name"):
        raise Refused(422, "name is required")
    return Answer(shapes.token(forge.mint_token(account, call.text("name"), [str(each) for each in scopes])), 201)


@HANDLERS("POST", "/orgs")
def add_org(forge: Forge, call: Call) -> Answer:
    doer = need_user(call)
    fields = {"full_name": call.text("full_name"), "description": call.text("description")}
    with forge.store.change() as db:
        made = forge.add_account(call.text("username"), "", is_org=1, **fields)
        db.execute("INSERT INTO org_owner VALUES (?, ?)", (made["id"], doer["id"]))
    return Answer(shapes.organization(forge, made), 201)


@HANDLERS("GET", "/orgs/{org}")
def org(forge: Forge, call: Call) -> Answer:
    account = forge.account(call.params["org"])
    if account is None or not account["is_org"]:
        raise Refused(404, "organization does not exist")
    return Answer(shapes.organization(forge, account))
