-- The schema, and the role the services run as: it may read everything and call the functions, and write nothing.
-- A role belongs to the whole server, so several databases may be migrated at once.
DO $$
BEGIN
  CREATE ROLE holdfast_runtime NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END $$;

-- An owner that is no superuser may take the role on only as a member.
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'holdfast_runtime', 'MEMBER') THEN
    EXECUTE format('GRANT holdfast_runtime TO %I', current_user);
  END IF;
EXCEPTION WHEN unique_violation THEN
  NULL;
END $$;

CREATE SCHEMA ledger;
GRANT USAGE ON SCHEMA ledger TO holdfast_runtime;

ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA ledger GRANT EXECUTE ON FUNCTIONS TO holdfast_runtime;
ALTER DEFAULT PRIVILEGES IN SCHEMA ledger GRANT SELECT ON TABLES TO holdfast_runtime;
