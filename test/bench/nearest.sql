-- The ten nearest rows of each probe, exactly: psql variable section.
SELECT bench.probe_race(:'section', 'the ten nearest', NULL, count(*), :patience,
	'lshsim, lsh', 'SELECT id FROM twin ORDER BY sig <-> probe.sig LIMIT 10',
	'sequential scan and sort', 'SELECT id FROM sigs ORDER BY sig <-> probe.sig LIMIT 10',
	'primary key', 'SELECT id FROM sigs WHERE id = probe.id')
FROM sigs;

-- Where rows are equally far, either may come; so compare how far they are.
CREATE TEMP TABLE distances AS
SELECT who, id, ARRAY(SELECT s.sig <-> p.sig FROM unnest(ids) AS i JOIN sigs AS s ON s.id = i ORDER BY 1) AS ten
FROM bench.found AS f JOIN bench.probes AS p USING (id) WHERE pass = 1 AND who <> 'primary key';
DO $$
BEGIN
	IF EXISTS (SELECT FROM distances AS a JOIN distances AS b USING (id) WHERE a.ten <> b.ten) THEN
		RAISE EXCEPTION 'two ways have found different nearest rows';
	END IF;
END $$;
DROP TABLE distances;
