-- An endpoint in words: where it is, and which types it wants.
CREATE OR REPLACE FUNCTION ledger.webhook_words(url text, event_types text[]) RETURNS text
LANGUAGE sql STABLE
RETURN format('%s (%s)', url, coalesce(nullif(array_to_string(event_types, ' '), ''), 'all'));
