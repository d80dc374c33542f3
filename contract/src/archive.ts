import { type Static, Type } from "typebox";
import { Count, closed, nullable, Timestamp, Uuid } from "./schema.ts";
import { archiveStates } from "./values.ts";

export const Archive = closed(
  {
    op_id: Uuid,
    state: Type.Enum([...archiveStates]),
    authoritative: Type.Boolean({ description: "The home lives in this archive now." }),
    sha256: nullable(Type.String()),
    archive_bytes: nullable(Count),
    home_bytes: nullable(Count),
    entry_count: nullable(Count),
    created_at: Timestamp,
    verified_at: nullable(Timestamp),
    keep_until: nullable(Timestamp),
  },
  { title: "Archive" },
);
export type Archive = Static<typeof Archive>;

export const ArchiveList = closed({ items: Type.Array(Archive) }, { title: "ArchiveList" });
export type ArchiveList = Static<typeof ArchiveList>;
