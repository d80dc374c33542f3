import { storeSuite } from "../suites/store-suite.ts";
import { openPostgres } from "./postgres-fixture.ts";

storeSuite("PostgreSQL", openPostgres);
