CREATE TABLE users (id uuid PRIMARY KEY);
