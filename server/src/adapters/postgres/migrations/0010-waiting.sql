-- What a start waits for, beside how far it is: a code with its fields, and since when. Null for every other operation.
ALTER TABLE progress ADD COLUMN waiting jsonb;
