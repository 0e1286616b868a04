CREATE EXTENSION lshsim;
CREATE TABLE docs (package text PRIMARY KEY, body text NOT NULL);
\copy docs FROM 'descriptions.tsv'
