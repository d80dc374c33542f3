import type { RouteId, Routes } from "@codehub/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { Workspace } from "#core/rows/workspace.ts";
import type { Account, AuditActor } from "#ports/accounts.ts";
import type { WorkspaceView } from "#ports/views.ts";

/** Whoever is calling, as the session or token says. */
export interface Principal {
  readonly account: Account;
  readonly via: "cookie" | "token";
  /** Of the session row or of the token row. */
  readonly credentialId: string;
  readonly expiresAt: number | null;
}

type Part<R, K extends "params" | "query" | "body"> = R extends { readonly [P in K]: infer S extends TSchema }
  ? Static<S>
  : undefined;
type Answer<R> = R extends { readonly success: { readonly schema: infer S } }
  ? S extends TSchema
    ? Static<S>
    : undefined
  : never;
type AudienceOf<R> = R extends { readonly audience: infer A } ? A : never;
type OfWorkspace<R, T> = AudienceOf<R> extends "owner" | "owner_or_admin" ? T : undefined;

/** What a handler gets: everything in it was checked before the handler was called. */
export interface Call<Id extends RouteId> {
  readonly params: Part<Routes[Id], "params">;
  readonly query: Part<Routes[Id], "query">;
  readonly body: Part<Routes[Id], "body">;
  readonly principal: AudienceOf<Routes[Id]> extends "public" ? Principal | null : Principal;
  /** The workspace in the path, which the caller may use in the way the route's audience says. */
  readonly row: OfWorkspace<Routes[Id], Workspace>;
  /** The same with what people see beside it, where it is only read: what changes it shows how it is afterwards. */
  readonly view: Routes[Id] extends { readonly method: "GET" } ? OfWorkspace<Routes[Id], WorkspaceView> : undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An answer that was written as JSON already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Handler<Id extends RouteId> = (call: Call<Id>) => Promise<Answer<Routes[Id]> | JsonText>;
export type Handlers = { readonly [Id in RouteId]: Handler<Id> };
/** The part of the table that one file serves. */
export type HandlersOf<Ids extends RouteId> = Pick<Handlers, Ids>;

export const isAdmin = (principal: Principal): boolean => principal.account.role === "admin";

export const auditActor = (principal: Principal, request: FastifyRequest): AuditActor => ({
  kind: isAdmin(principal) ? "admin" : "user",
  userId: principal.account.id,
  address: request.ip,
});
