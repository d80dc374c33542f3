import type pg from "pg";

/**
 * Prints the schema as PostgreSQL holds it after all migrations, from its catalogues. pg_dump would do, but it refuses a
 * server newer than itself, and the embedded server is newer than what distributions bring.
 */
export async function printSchema(client: pg.Client): Promise<string> {
  const sections: string[] = [
    "-- What the migrations add up to, printed from the catalogues of a migrated database. Do not edit: a test compares\n" +
      "-- it, and `UPDATE_SCHEMA=1 npx vitest run --project postgres server/test/postgres/schema.test.ts` writes it anew.",
  ];
  for (const table of await rows(client, TABLES)) {
    sections.push(await printTable(client, table));
  }
  sections.push(...(await rows(client, FUNCTIONS)).map((text) => `${text.trimEnd()};`));
  return `${sections.join("\n\n")}\n`;
}

async function printTable(client: pg.Client, table: string): Promise<string> {
  const columns = await rows(client, COLUMNS, table);
  const constraints = await rows(client, CONSTRAINTS, table);
  const body = [...columns, ...constraints].map((line) => `  ${line}`).join(",\n");
  const indexes = await rows(client, INDEXES, table);
  const triggers = await rows(client, TRIGGERS, table);
  const grants = await rows(client, GRANTS, table);
  const statements = [...indexes, ...triggers, ...grants].map((line) => `${line};`);
  return [`CREATE TABLE ${table} (\n${body}\n);`, ...statements].join("\n");
}

async function rows(client: pg.Client, sql: string, ...parameters: string[]): Promise<string[]> {
  const answer = await client.query<{ line: string }>(sql, parameters);
  return answer.rows.map((row) => row.line);
}

const TABLES = `
  SELECT relname AS line FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`;

const COLUMNS = `
  SELECT concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
    CASE
      WHEN a.attidentity <> '' THEN 'GENERATED ALWAYS AS IDENTITY'
      WHEN a.attgenerated <> '' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
      WHEN d.adbin IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)
    END) AS line
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

const CONSTRAINTS = `
  SELECT 'CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid) AS line
  FROM pg_constraint WHERE conrelid = $1::regclass AND contype <> 'n' ORDER BY contype, conname`;

const INDEXES = `
  SELECT pg_get_indexdef(i.indexrelid) AS line FROM pg_index i
  WHERE i.indrelid = $1::regclass
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u'))
  ORDER BY i.indexrelid::regclass::text`;

const TRIGGERS = `
  SELECT pg_get_triggerdef(oid) AS line FROM pg_trigger
  WHERE tgrelid = $1::regclass AND NOT tgisinternal ORDER BY tgname`;

// The owner's own rights are left out: the owner is whoever ran the migrations.
const GRANTS = `
  SELECT 'GRANT ' || string_agg(privilege, ', ' ORDER BY privilege) || ' ON ' || $1 || ' TO ' || grantee AS line
  FROM (
    SELECT acl.grantee::regrole::text AS grantee, acl.privilege_type AS privilege
    FROM pg_class c, aclexplode(c.relacl) acl WHERE c.oid = $1::regclass AND acl.grantee <> c.relowner
    UNION ALL
    SELECT acl.grantee::regrole::text,
           acl.privilege_type || ' (' || string_agg(a.attname, ', ' ORDER BY a.attnum) || ')'
    FROM pg_attribute a, aclexplode(a.attacl) acl WHERE a.attrelid = $1::regclass
    GROUP BY acl.grantee, acl.privilege_type
  ) AS granted
  GROUP BY grantee ORDER BY grantee`;

const FUNCTIONS = `
  SELECT pg_get_functiondef(oid) AS line FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`;
