--
-- Recipes for what follows a search: one row of each group, labels, the longest text, boilerplate, numbers, differences.
-- Each problem has a known answer.
--
\set ECHO none \i test/data/setup.sql \set ECHO all
SET client_min_messages = warning;

-- One row of each group, with the row that a value came from: 1 to 4 and 5 and 6 are one contact each; 7 joins 5 and 6.
CREATE TABLE contacts (id int PRIMARY KEY, source text, changed date, name text, mail text, city text, phone text, sig minhash GENERATED ALWAYS AS (to_minhash(name,'char:2')) STORED);
INSERT INTO contacts VALUES
(1,'crm','2024-02-01','Berta Nygaard','b.nygaard@old.test','Odense','555 0101'),(2,'web','2025-05-05','Bertha Nygaard',NULL,'Odense','555 0199'),
(3,'web','2025-03-01','Bertha Nygard','b.nygaard@new.test','Aarhus',NULL),(4,'fair','2026-01-01','B. Nygaard',NULL,'Odense',NULL),
(5,'web','2025-01-01','Theo Palm',NULL,'Skive','555 0177'),(6,'fair','2026-02-02','Theo Palm',NULL,'Skive',NULL);
SELECT minhash_groups_create('contacts', 'sig', 0.45);
CREATE VIEW golden_contacts AS
SELECT grp, (array_agg(id ORDER BY id))[1] AS stays,
	(array_agg(name ORDER BY length(name) DESC NULLS LAST, id))[1] AS name,								-- the longest
	(array_agg(mail ORDER BY changed DESC NULLS LAST, id) FILTER (WHERE mail IS NOT NULL))[1] AS mail,		-- the latest
	(array_agg(id ORDER BY changed DESC NULLS LAST, id) FILTER (WHERE mail IS NOT NULL))[1] AS mail_from,	-- its row
	mode() WITHIN GROUP (ORDER BY city) AS city,														-- the most frequent
	(array_agg(phone ORDER BY array_position('{crm,web,fair}', source), id)
		FILTER (WHERE phone IS NOT NULL))[1] AS phone,													-- that of the best source
	array_agg(id ORDER BY id) AS ids
FROM contacts JOIN contacts_groups USING (id) GROUP BY grp;
SELECT * FROM golden_contacts ORDER BY grp;
INSERT INTO contacts VALUES (7, 'web', '2026-03-03', 'Theo Palm', 'theo@palm.test', 'Skive', NULL);
SELECT * FROM minhash_groups_refresh('contacts_groups');
SELECT * FROM golden_contacts ORDER BY grp;
CREATE TABLE calls (id int PRIMARY KEY, contact int REFERENCES contacts, note text);
INSERT INTO calls VALUES (1, 1, 'asks for an offer'), (2, 3, 'accepts it'), (3, 6, 'wrong number');
CREATE TABLE calls_moved (id int PRIMARY KEY, moved_from int REFERENCES contacts ON DELETE CASCADE);
CREATE PROCEDURE move_calls() LANGUAGE sql AS $$
INSERT INTO calls_moved
SELECT c.id, c.contact FROM calls c JOIN contacts_groups m ON m.id = c.contact JOIN golden_contacts g USING (grp) WHERE c.contact <> g.stays ON CONFLICT DO NOTHING;
UPDATE calls c SET contact = g.stays FROM calls_moved m JOIN contacts_groups cg ON cg.id = m.moved_from JOIN golden_contacts g USING (grp)
WHERE c.id = m.id AND c.contact <> g.stays;
$$;
CALL move_calls();
SELECT id, contact FROM calls ORDER BY id;
-- a row that joins with a smaller key takes the calls, also the second time; a row without a date has not the latest mail
INSERT INTO contacts VALUES (0, 'web', NULL, 'Bertha Nygaard', 'none@old.test', 'Odense', NULL);
SELECT * FROM minhash_groups_refresh('contacts_groups');
CALL move_calls();
SELECT id, contact FROM calls ORDER BY id;
SELECT stays, mail, mail_from FROM golden_contacts ORDER BY 1;
-- the call of a row that leaves goes back to it, and stays there
INSERT INTO contacts_groups_judged (id_a, id_b, same) SELECT 3, id, false FROM contacts WHERE id IN (0, 1, 2, 4);
SELECT * FROM minhash_groups_refresh('contacts_groups');
CALL move_calls(); CALL move_calls();
SELECT id, contact FROM calls ORDER BY id;
-- a call of a deleted row stays where it is, and moves on with that row
DELETE FROM contacts WHERE id = 6;
INSERT INTO contacts VALUES (-1, 'web', NULL, 'Theo Palm', NULL, 'Skive', NULL);
SELECT * FROM minhash_groups_refresh('contacts_groups');
CALL move_calls();
SELECT id, contact FROM calls ORDER BY id;
-- a refresh without FROM does not run if the condition is false
CREATE FUNCTION no_lock() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN false; END $$;
INSERT INTO contacts VALUES (8, 'web', NULL, 'Ada Holm', NULL, NULL, NULL);
SELECT (minhash_groups_refresh('contacts_groups')).method WHERE no_lock();
SELECT count(*) AS rows_of_8 FROM contacts_groups WHERE id = 8;

-- Groups at several thresholds by links are those of an agreement of 0, while one of 0.9 divides {1,2,3} at 0.5.
CREATE TABLE chain AS SELECT id, to_minhash(body, 'word:1') AS sig FROM (VALUES (1, 'a b c d e f'), (2, 'a b c d e f g h i'), (3, 'd e f g h i'), (4, 'x y')) v(id, body);
CREATE TABLE links AS
SELECT a.id, a.link, jaccard(a.sig, b.sig) AS similarity
FROM (SELECT id, sig, minhash_link(sig, 0.3, id) OVER (ORDER BY id) AS link FROM chain) AS a JOIN chain AS b ON b.id = a.link;
WITH RECURSIVE grouped AS (SELECT t, id AS grp, id FROM chain, unnest('{0.3,0.5,0.8}'::float8[]) AS t
	WHERE NOT EXISTS (SELECT FROM links AS l WHERE l.id = chain.id AND l.similarity >= t)
	UNION ALL SELECT g.t, g.grp, l.id FROM grouped AS g JOIN links AS l ON l.link = g.id AND l.similarity >= g.t),
clusters AS (SELECT t, id, minhash_cluster(sig, t, 0.99, 0) OVER (PARTITION BY t ORDER BY id) AS of_0, minhash_cluster(sig, t, 0.99, 0.9) OVER (PARTITION BY t ORDER BY id) AS of_9
	FROM chain, unnest('{0.3,0.5,0.8}'::float8[]) AS t)
SELECT t AS threshold, array_agg(grp ORDER BY id) AS by_links, array_agg(of_0 ORDER BY id) AS agreement_0, array_agg(of_9 ORDER BY id) AS agreement_9 FROM grouped JOIN clusters USING (t, id) GROUP BY t ORDER BY t;

-- The group of a new row without a tenant is that of a row without one.
CREATE TABLE tenants (id int PRIMARY KEY, tenant text, sig minhash GENERATED ALWAYS AS (to_minhash('One text of all tenants')) STORED);
INSERT INTO tenants VALUES (1, 'north'), (2, NULL);
SELECT minhash_groups_create('tenants', 'sig', 0.8, scope => '{tenant}');
INSERT INTO tenants VALUES (3, NULL);
SELECT h.id, h.grp FROM tenants AS a JOIN tenants AS b ON minhash_similar(b.sig, a.sig, 0.8) AND b.tenant IS NOT DISTINCT FROM a.tenant JOIN tenants_groups AS h ON h.id = b.id WHERE a.id = 3;
SELECT * FROM minhash_groups_refresh('tenants_groups');
SELECT id, grp FROM tenants_groups WHERE id > 1 ORDER BY id;

-- Precision, recall and F1 by threshold.  By a program with the exact similarity, pairs have
-- .3 .145 .980 .253, .4 .511 .959 .667, .5 .872 .837 .854, .6 1 .694 .819, .7 1 .469 .639, .8 1 .245 .393.
\set ECHO none
CREATE TABLE records (id int PRIMARY KEY, entity int, body text, sig minhash(512) GENERATED ALWAYS AS (to_minhash(body,'char:3',512)) STORED);
INSERT INTO records VALUES
(1,0,'inlet jetty fjord haven grove haven amber'),
(2,1,'tundra amber inlet ledge cedar inlet oasis niche'),
(3,1,'tundra amber inlet ember cedar inlet ledge niche'),
(4,2,'delta ledge oasis jetty oasis ridge tundra'),
(5,2,'delta ledge tundra inlet oasis inlet tundra ember'),
(6,2,'delta ledge tundra inlet oasis ridge inlet ember'),
(7,3,'spire haven grove ledge ember cedar niche oasis'),
(8,3,'spire haven grove ledge ember cedar niche'),
(9,3,'spire haven grove ledge oasis cedar niche'),
(10,4,'tundra inlet ledge plume ledge quarry ember tundra'),
(11,4,'niche inlet ledge grove ledge spire ember'),
(12,5,'grove knoll ridge delta haven fjord cedar niche'),
(13,6,'ember jetty delta niche jetty quarry spire tundra'),
(14,7,'birch amber knoll knoll ember plume ridge ridge'),
(15,7,'birch amber knoll knoll ember plume birch ridge'),
(16,7,'birch amber knoll knoll ember plume ridge ridge'),
(17,8,'inlet niche grove inlet niche grove jetty ledge'),
(18,8,'inlet niche grove inlet niche spire haven'),
(19,9,'birch tundra amber jetty birch oasis plume ridge'),
(20,9,'birch tundra amber jetty grove oasis plume'),
(21,9,'birch tundra amber jetty grove oasis plume'),
(22,10,'fjord grove jetty jetty tundra moor jetty'),
(23,10,'fjord grove jetty jetty tundra moor oasis'),
(24,11,'ridge jetty ember birch knoll fjord ridge ember'),
(25,12,'ember cedar plume haven cedar ledge inlet'),
(26,13,'moor tundra birch ridge ember delta tundra'),
(27,13,'birch tundra birch ridge birch delta tundra'),
(28,14,'amber delta quarry inlet cedar knoll niche'),
(29,14,'amber delta quarry inlet cedar knoll moor fjord'),
(30,15,'inlet ember ember knoll jetty amber quarry amber'),
(31,15,'inlet ember ember oasis jetty amber quarry amber'),
(32,16,'ledge niche fjord plume niche inlet ember oasis'),
(33,16,'amber niche fjord plume niche inlet ember oasis'),
(34,16,'delta niche fjord plume niche inlet ember oasis'),
(35,17,'jetty cedar jetty spire quarry birch grove niche'),
(36,18,'quarry niche inlet haven plume amber tundra delta'),
(37,18,'haven niche inlet haven plume amber tundra delta'),
(38,19,'niche haven quarry amber delta ledge ember oasis'),
(39,19,'niche spire quarry amber haven ledge ember'),
(40,20,'ember ember fjord tundra delta birch ledge ember'),
(41,21,'spire moor spire quarry niche cedar oasis quarry'),
(42,21,'spire spire spire quarry niche cedar knoll quarry'),
(43,22,'niche jetty amber oasis moor niche plume'),
(44,23,'amber ember ridge knoll jetty quarry grove'),
(45,23,'amber ember ridge knoll jetty quarry grove niche'),
(46,24,'fjord cedar ridge birch grove knoll fjord amber'),
(47,24,'ember cedar ridge moor grove knoll fjord amber'),
(48,25,'niche cedar quarry quarry ember delta cedar ledge'),
(49,26,'jetty grove cedar jetty spire ridge niche'),
(50,26,'jetty haven inlet jetty spire ridge niche jetty'),
(51,27,'delta ember haven tundra jetty delta spire'),
(52,27,'inlet ember haven tundra jetty delta delta haven'),
(53,27,'delta ember haven tundra jetty delta delta plume'),
(54,28,'plume cedar quarry inlet oasis haven niche'),
(55,29,'niche amber fjord ledge knoll ledge grove delta'),
(56,29,'niche niche ledge ledge knoll ledge plume delta'),
(57,30,'ember tundra moor cedar moor moor knoll niche'),
(58,30,'ridge tundra moor amber moor moor knoll'),
(59,30,'ridge tundra oasis amber moor moor knoll niche'),
(60,31,'grove amber haven niche birch plume inlet grove'),
(61,32,'tundra fjord oasis haven niche spire moor birch'),
(62,32,'grove fjord oasis grove niche spire moor'),
(63,32,'tundra fjord oasis grove niche spire moor birch'),
(64,33,'ridge oasis moor quarry ember oasis cedar'),
(65,33,'tundra moor moor fjord ember oasis cedar plume'),
(66,33,'tundra moor moor quarry ember oasis cedar plume'),
(67,34,'ridge grove ember plume birch niche birch grove'),
(68,34,'ridge spire amber plume birch niche birch'),
(69,35,'plume grove plume amber tundra haven cedar oasis'),
(70,36,'cedar moor knoll fjord grove spire birch grove'),
(71,36,'cedar haven fjord fjord grove spire birch amber'),
(72,36,'cedar moor quarry fjord grove spire birch amber'),
(73,37,'niche haven jetty jetty oasis amber delta oasis'),
(74,37,'niche haven jetty jetty oasis amber delta'),
(75,37,'niche haven jetty oasis ridge amber delta oasis'),
(76,38,'tundra amber delta ember moor knoll haven'),
(77,39,'knoll oasis amber cedar cedar delta ledge spire'),
(78,39,'knoll oasis amber cedar cedar delta ledge cedar'),
(79,NULL,'western timber'),(80,NULL,'western timbers');
\set ECHO all
PREPARE by_threshold AS
WITH thresholds AS (SELECT t FROM unnest('{.3,.4,.5,.6,.7,.8}'::float8[]) t),
labels AS (SELECT count(*) AS same FROM records a JOIN records b ON a.entity = b.entity AND a.id < b.id),
pairs AS (SELECT t, count(*) AS found, count(*) FILTER (WHERE a.entity = b.entity) AS correct
	FROM thresholds, records a JOIN records b ON a.id < b.id AND minhash_similar(a.sig, b.sig, 0.1)
	WHERE jaccard(a.body, b.body, 'char:3') >= t AND a.entity IS NOT NULL AND b.entity IS NOT NULL GROUP BY t),
members AS (SELECT t, entity, minhash_cluster(sig, t, 0.99, 0.5) OVER (PARTITION BY t ORDER BY id) AS grp FROM thresholds, records),
in_groups AS (SELECT t, sum(n * (n - 1) / 2) FILTER (WHERE entity IS NULL) AS found, sum(n * (n - 1) / 2) FILTER (WHERE entity IS NOT NULL) AS correct
	FROM (SELECT t, grp, entity, count(*) AS n FROM members WHERE entity IS NOT NULL GROUP BY GROUPING SETS ((t, grp), (t, grp, entity))) s GROUP BY t)
SELECT t AS threshold, round(p.correct::numeric / p.found, 3) AS precision, round(p.correct::numeric / nullif(same, 0), 3) AS recall,
	round(2.0 * p.correct / (p.found + same), 3) AS f1, round(2 * g.correct / nullif(g.found + same, 0), 3) AS f1_of_groups
FROM pairs p JOIN in_groups g USING (t), labels ORDER BY t;
EXECUTE by_threshold;
-- no two rows have the same label
UPDATE records SET entity = id;
EXECUTE by_threshold;
DEALLOCATE by_threshold;

-- The longest stays: 1, 2 and 5 go with 4, 7 and 8 with 9; 3, which has half of its own, and 6, with a changed word in 25, stay.
CREATE TABLE documents (id text PRIMARY KEY, body text, sig minhash(128) GENERATED ALWAYS AS (to_minhash(body,'word:3')) STORED);
\set ECHO none
INSERT INTO documents VALUES
(1,'behind silver under ribbon from river over pepper in orchard the kitchen of market under thunder in candle from market behind window the cottage in harbor near letter with letter a winter behind saddle over winter of river the garden in letter of bridge under garden from kitchen in letter in kitchen with bridge the forest with letter of silver a copper near anchor behind engine the saddle under wagon near forest near thunder under letter over thunder of stone near river under feather with river from ribbon with forest with engine the meadow the barrel of saddle in market in hammer over forest from forest from silver over market behind cottage under feather near stone with wagon in copper from saddle under hammer of copper near hammer from wagon near lantern under bridge of ribbon a orchard of cottage near thunder of cottage the wagon behind carpet with stone in cottage behind forest near meadow with winter the hammer the ribbon over copper in winter behind winter with market of harbor under winter the feather with bridge of meadow behind feather of village over thunder under thunder near bridge over candle of market with anchor from letter over feather under letter a thunder near village from feather from forest a ribbon under barrel behind lantern the pepper near forest from barrel near anchor over silver near copper of engine the thunder from pepper near copper near meadow near anchor from orchard under forest near orchard under cottage with forest of feather over forest under village of village of garden under hammer over bridge a cottage with letter behind pepper behind village with bridge behind carpet near cottage the garden of engine over saddle of window of orchard the thunder in letter the kitchen of market under letter over garden'),
(2,'in letter of bridge under garden from kitchen in letter in kitchen with bridge the forest with letter of silver a copper near anchor behind engine the saddle under wagon near forest near thunder under letter over thunder of stone near river under feather with river from ribbon with forest with engine the meadow the barrel of saddle in market'),
(3,'behind silver under ribbon from river over pepper in orchard the kitchen of market under thunder in candle from market behind window the cottage in harbor near letter with letter a winter behind saddle over winter of river the garden in letter of bridge under garden from kitchen in letter in kitchen with bridge the forest with letter of silver a copper near anchor behind engine the saddle under wagon near forest near thunder under letter over thunder of stone near river under feather with river from ribbon with forest with engine the meadow the barrel of saddle in market in hammer over forest from forest from silver over market behind cottage under feather near stone with wagon in copper from saddle under hammer of copper near hammer from wagon near lantern under bridge of ribbon a orchard of cottage near thunder of cottage the wagon behind carpet with stone from stone with meadow under candle behind wagon behind garden in barrel under river under candle near feather with feather a barrel from forest the carpet behind bridge a bridge from village under engine near forest of harbor with anchor behind orchard from forest over winter of saddle with engine over garden of saddle a forest the candle a copper behind hammer behind carpet of copper behind candle with harbor in thunder near thunder with candle of saddle behind silver near thunder near harbor the copper near thunder near winter over river a lantern behind meadow in bridge the ribbon of anchor with river over carpet from silver in hammer over ribbon the window over silver of cottage near bridge over saddle over village behind kitchen a river of bridge near carpet under saddle near cottage from river over forest under lantern behind winter the river near carpet over lantern'),
(4,'behind silver under ribbon from river over pepper in orchard the kitchen of market under thunder in candle from market behind window the cottage in harbor near letter with letter a winter behind saddle over winter of river the garden in letter of bridge under garden from kitchen in letter in kitchen with bridge the forest with letter of silver a copper near anchor behind engine the saddle under wagon near forest near thunder under letter over thunder of stone near river under feather with river from ribbon with forest with engine the meadow the barrel of saddle in market in hammer over forest from forest from silver over market behind cottage under feather near stone with wagon in copper from saddle under hammer of copper near hammer from wagon near lantern under bridge of ribbon a orchard of cottage near thunder of cottage the wagon behind carpet with stone in cottage behind forest near meadow with winter the hammer the ribbon over copper in winter behind winter with market of harbor under winter the feather with bridge of meadow behind feather of village over thunder under thunder near bridge over candle of market with anchor from letter over feather under letter a thunder near village from feather from forest a ribbon under barrel behind lantern the pepper near forest from barrel near anchor over silver near copper of engine the thunder from pepper near copper near meadow near anchor from orchard under forest near orchard under cottage with forest of feather over forest under village of village of garden under hammer over bridge a cottage with letter behind pepper behind village with bridge behind carpet near cottage the garden of engine over saddle of window of orchard the thunder in letter the kitchen of market under letter over garden a kitchen from garden the harbor with saddle behind barrel over feather with thunder with lantern in kitchen near meadow a bridge the barrel with engine near orchard over hammer'),
(5,'behind silver under ribbon from river over pepper in orchard the kitchen of market under thunder in candle from market behind window the cottage in harbor near letter with letter a winter behind saddle over winter of river the garden in letter of bridge under garden from kitchen in letter in kitchen with bridge the forest with letter of silver a copper near anchor behind engine the saddle under wagon near forest near thunder under letter over thunder of stone near river under feather with river from ribbon with forest with engine the meadow the barrel of saddle in market in hammer over forest from forest from silver over market behind cottage under feather near stone with wagon in copper from saddle under hammer of copper near hammer from wagon near lantern under bridge of ribbon a orchard of cottage near thunder of cottage the wagon behind carpet with stone in cottage behind forest near meadow with winter the hammer the ribbon over copper in winter behind winter with market of harbor under winter the feather with bridge of meadow behind feather of village over thunder under thunder near bridge over candle of market with anchor from letter over feather under letter a thunder near village from feather from forest a ribbon under barrel behind lantern the pepper near forest from barrel near anchor over silver near copper of engine the thunder from pepper near copper near meadow near anchor from orchard under forest near orchard under cottage with forest of feather over forest under village of village of garden under hammer over bridge a cottage with letter behind pepper behind village with bridge behind carpet near cottage the garden and so it ended'),
(6,'xylem silver under ribbon from river over pepper in orchard the kitchen of market under thunder in candle from market behind window the cottage in xylem near letter with letter a winter behind saddle over winter of river the garden in letter of bridge under garden from kitchen in letter xylem kitchen with bridge the forest with letter of silver a copper near anchor behind engine the saddle under wagon near forest near thunder under xylem over thunder of stone near river under feather with river from ribbon with forest with engine the meadow the barrel of saddle in market xylem hammer over forest from forest from silver over market behind cottage under feather near stone with wagon in copper from saddle under hammer of xylem near hammer from wagon near lantern under bridge of ribbon a orchard of cottage near thunder of cottage the wagon behind carpet with stone xylem cottage behind forest near meadow with winter the hammer the ribbon over copper in winter behind winter with market of harbor under winter the xylem with bridge of meadow behind feather of village over thunder under thunder near bridge over candle of market with anchor from letter over feather xylem letter a thunder near village from feather from forest a ribbon under barrel behind lantern the pepper near forest from barrel near anchor over xylem near copper of engine the thunder from pepper near copper near meadow near anchor from orchard under forest near orchard under cottage with forest xylem feather over forest under village of village of garden under hammer over bridge a cottage with letter behind pepper behind village with bridge behind xylem near cottage the garden of engine over saddle of window of orchard the thunder in letter the kitchen of market under letter over garden'),
(7,'near winter of thunder from kitchen over copper from winter with engine from ribbon the wagon in silver a ribbon a lantern the copper with wagon with barrel over stone a anchor a window behind orchard a barrel of bridge over winter of saddle of harbor of wagon behind garden the carpet a lantern with cottage a silver the engine behind market with kitchen behind winter the harbor a copper behind thunder over forest under hammer the winter near winter behind orchard from bridge from carpet behind window near wagon from window near anchor near village of ribbon in feather under meadow with letter of barrel the orchard under wagon behind lantern the wagon a village behind meadow in candle'),
(8,'near winter of thunder from kitchen over copper from winter with engine from ribbon the wagon in silver a ribbon a lantern the copper with wagon with barrel over stone a anchor a window behind orchard a barrel of bridge over winter of saddle of harbor of wagon behind garden the carpet a lantern with cottage a silver the engine zinc market with kitchen behind winter the harbor a copper behind thunder over forest under hammer the winter near winter behind orchard from bridge from carpet behind window near wagon from window near anchor near village of ribbon in feather under meadow with letter of barrel the orchard under wagon behind lantern the wagon a village behind meadow in candle'),
(9,'near winter of thunder from kitchen over copper from winter with engine from ribbon the wagon in silver a ribbon a lantern the copper with wagon with barrel over stone a anchor a window behind orchard a barrel of bridge over winter of saddle of harbor of wagon behind garden the carpet a lantern with cottage a silver the engine behind market with kitchen behind winter the harbor a copper behind thunder over forest under hammer the winter near winter behind orchard from bridge from carpet behind window near wagon from window near anchor near village of ribbon in feather under meadow with letter of barrel the orchard under wagon behind lantern the wagon a village behind meadow in candle over thunder under market from river from cottage');
\set ECHO all
CREATE INDEX ON documents USING lsh (body passage_ops (run = 'word:8'));
CREATE VIEW contained_documents AS
SELECT DISTINCT ON (s.id) s.id AS goes, l.id AS contained_in, round(containment(s.body, l.body, 'word:3')::numeric, 2) AS share
FROM documents s JOIN documents l ON shares_passage(l.body, s.body, 'word:8') AND (length(l.body), s.id) > (length(s.body), l.id)
WHERE containment(s.body, l.body, 'word:3') >= 0.95 ORDER BY s.id, length(l.body) DESC, l.id;
SELECT * FROM contained_documents;
WITH gone AS (DELETE FROM documents USING contained_documents WHERE id = goes AND contained_in NOT IN (SELECT goes FROM contained_documents) RETURNING id)
SELECT array_agg(id ORDER BY id) FROM gone;

-- Boilerplate that is not known: of 276 pairs (1, 21), (5, 22), (9, 23) and (13, 24) have the same own text.
CREATE TABLE pages (id int PRIMARY KEY, body text);
\set ECHO none
INSERT INTO pages VALUES
(1,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order The light crate holds any old pan This small towel needs every large screw Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(2,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order The green mat replaces the green hinge This green apron matches a new brush The square pan needs every narrow cup Our new drill holds every heavy glove Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(3,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order This grey hook protects every plain pot A wide glue matches any smooth bulb Our grey saw goes with the large jug Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(4,'Home Shop Guides About You are here us Contact Log in Basket 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A round carpet protects a heavy knife Our smooth plane replaces every wide barrel The rare pot matches the large stool Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(5,'Home Shop Guides About You are here us Contact Log in Basket 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order Our light hose replaces every smooth rake This square clock goes with every round rake The grey ladder replaces any fine mirror Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(6,'Home Shop Guides About us Contact Log in Basket You are here 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order Our smooth varnish replaces every narrow glue Our round hook goes with every large jug Our square cloth matches every cheap linen Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(7,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A red chair goes with the large barrel Our fine mirror replaces the rare plate Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(8,'Home Shop Guides About You are here us Contact Log in Basket 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order The large chair needs every wide key Our rough pot replaces any wide plate Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(9,'Home Shop Guides About You are here us Contact Log in Basket 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A smooth drill protects any red plate Our large oak matches every blue tray Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(10,'Home Shop Guides About You are here us Contact Log in Basket 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A green carpet matches the round hook This cheap towel protects the rough shelf Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(11,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order Our cheap bulb matches every rough apron The wide tray replaces every round towel A heavy plane protects a large towel Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(12,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order The large bulb protects any cheap bowl A narrow hinge goes with a new spade Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(13,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order This narrow apron holds a rare lamp Our new frame needs every rare mat A plain kettle goes with the large clock Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(14,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A rare saw needs a large bench This plain spade matches every heavy pan Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(15,'Home Shop Guides About You are here us Contact Log in Basket 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A red cloth matches any blue bucket A narrow linen goes with the fine apron The plain board holds any heavy lock Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(16,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order The rough board goes with a square bulb Our old ladder holds every green basket This new spade protects every light basket This rough cloth protects any plain copper Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(17,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A grey seed replaces a small mirror This fine ladder needs any cheap brush Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(18,'Home Shop Guides About us Contact Log in Basket 0 items Search our catalogue You are here Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A narrow carpet matches every round vase A heavy glue replaces a grey bench Our cheap cloth matches the heavy towel Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(19,'Home Shop Guides About You are here us Contact Log in Basket 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order The square ladder replaces every small glue This plain bucket goes with every light bulb Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(20,'Home Shop Guides About us Contact Log in Basket You are here 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A cheap copper goes with a rough mirror Our fine cloth protects every narrow glue Our rough stool replaces every square screw The rare lock needs any narrow cup Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(21,'Home Shop Guides About us Contact Log in Basket You are here 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order The light crate fits any old pan This small towel yellow every large really screw Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(22,'Home Shop Guides About us Contact Log in Basket You are here 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order Our light hose fits every smooth rake This square clock yellow every round really rake The grey ladder replaces any fine mirror Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(23,'Home Shop Guides About us Contact Log in Basket You are here 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order A smooth drill fits any red plate Our large oak yellow every blue really tray Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine'),
(24,'Home Shop Guides About us Contact Log in Basket You are here 0 items Search our catalogue Delivery within three days Free returns until the end of the season New this week Garden Kitchen Workshop Lighting Carpets Second hand Gift cards Your account Help and questions Change language Change currency Spring sale Summer sale Winter store Spare parts Repair service Rent a tool Book a course Find a branch Open today until six Track a parcel Change an order This narrow apron fits a rare lamp Our new frame yellow every rare really mat A plain kettle goes with the large clock Sign up for our letter and get ten percent off your first order Terms of sale Privacy Imprint Cookies Accessibility Careers Press Partners We ship from two warehouses in the north and answer every mail within one working day All prices include tax Made with care by a team of nine');
\set ECHO all
CREATE TABLE boilerplate AS
WITH sample AS (SELECT id, body FROM (SELECT id, body, minhash_representative(to_minhash(body), 0.9, id) OVER (ORDER BY id) AS first FROM pages) r
	WHERE first = id ORDER BY md5(id::text) LIMIT 100)
SELECT coalesce(string_agg(words, E'\n'), '') AS body FROM (
	SELECT words FROM sample a, sample b, common_passages(a.body, b.body, 'word:4'), regexp_replace(lower(passage), '\s+', ' ', 'g') AS words
	WHERE a.id <> b.id GROUP BY words HAVING count(DISTINCT a.id) >= 3) f;
ALTER TABLE pages ADD own text, ADD sig minhash;
UPDATE pages p SET own = text_without(p.body, b.body, 'word:4'), sig = to_minhash(text_without(p.body, b.body, 'word:4'), 'char:3') FROM boilerplate b;
SELECT a.id, b.id AS other FROM pages a JOIN pages b ON a.id < b.id AND jaccard(a.own, b.own, 'char:3') >= 0.5 ORDER BY a.id;
SELECT a.id, b.id AS other FROM pages a JOIN pages b ON minhash_similar(a.sig, b.sig, 0.5) AND a.id < b.id ORDER BY a.id;
-- the text of four copies is no boilerplate, and rows that share none keep theirs
CREATE FUNCTION pages_boilerplate() RETURNS text LANGUAGE sql AS $$
WITH sample AS (SELECT id, body FROM (SELECT id, body, minhash_representative(to_minhash(body), 0.8, id) OVER (ORDER BY id) AS first FROM pages) r
	WHERE first = id ORDER BY md5(id::text) LIMIT 100)
SELECT coalesce(string_agg(words, E'\n'), '') AS body FROM (
	SELECT words FROM sample a, sample b, common_passages(a.body, b.body, 'word:4'), regexp_replace(lower(passage), '\s+', ' ', 'g') AS words
	WHERE a.id <> b.id GROUP BY words HAVING count(DISTINCT a.id) >= 3) f $$;
TRUNCATE pages;
INSERT INTO pages SELECT id, 'Home Shop Guides About us Contact Log in Basket ' || own || ' Track a parcel Find a branch Open today until six Terms of sale Privacy' FROM (VALUES
	(1, 'A narrow apron fits a rare lamp and a plain kettle'), (2, 'A narrow apron fits a rare lamp and a plain kettle'), (3, 'A narrow apron fits a rare lamp and a plain kettle'),
	(4, 'A narrow apron fits a rare lamp and one plain kettle'), (5, 'A ladder with three steps folds behind the door'), (6, 'Two shelves of oak carry a basin of blue glass')) v(id, own);
SELECT id, text_without(body, pages_boilerplate(), 'word:4') AS own FROM pages ORDER BY id;
UPDATE pages SET body = 'Only ' || md5(id::text);
SELECT count(*) AS unchanged FROM pages WHERE text_without(body, pages_boilerplate(), 'word:4') = body;

-- Names in two scripts, letter forms of Arabic, renamed code.
CREATE FUNCTION romanized(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT replace(replace(replace(replace(replace(replace(replace(replace(translate(body,
		'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯабвгдеёзийклмнопрстуфыэъьЪЬ', 'abvgdeeжziyklmnoprstufхцчшщyeюяabvgdeeziyklmnoprstufye'),
		'ж', 'zh'), 'х', 'kh'), 'ц', 'ts'), 'ч', 'ch'), 'ш', 'sh'), 'щ', 'shch'), 'ю', 'yu'), 'я', 'ya')
$$;
CREATE FUNCTION arabic_letters(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT translate(normalize(body, NFKC), U&'\0623\0625\0622\0671\0649\06CC\06A9\0629\0640', U&'\0627\0627\0627\0627\064A\064A\0643\0647')
$$;
CREATE FUNCTION code_tokens(code text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT array_agg(CASE WHEN token ~ '^["''0-9]' THEN '0' WHEN token ~ '^[[:alpha:]_]' AND token <> ALL ('{if,else,for,while,do,return,break,continue,'
		'switch,case,int,char,void,const,struct,static,class,new,def,in,not,and,or}') THEN 'a' ELSE token END ORDER BY n)
	FROM regexp_matches(code, $regex$(?x)
			/[*] (?: [^*] | [*]+ [^*/] )* [*]+/ | // [^\n]*					# comments
			| " (?: [^"\\] | \\. )* " | ' (?: [^'\\] | \\. )* '					# strings
			| [[:alpha:]_] [[:alnum:]_]* | [0-9] [[:alnum:].]*				# names, numbers
			| [<>=!&|+-]{2} | [^[:space:]]$regex$, 'g') WITH ORDINALITY AS m(tokens, n), unnest(tokens) AS token
	WHERE token !~ '^/[*/]' $$;
CREATE FUNCTION token_runs(tokens text[]) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT array_agg(array_to_string(tokens[i:i + 4], ' ')) FROM generate_series(1, greatest(cardinality(tokens) - 4, 1)) i
$$;
SELECT romanized('Щука, Ёж, Юля, Ящик, Хлеб, Цирк, Чай, Шут, подъезд, Жук');
SELECT what, jaccard(romanized(a), b, 'char:2') >= 0.8 AS same FROM (VALUES ('one person', 'Владимир Соколов', 'Vladimir Sokolov'), ('another spelling', 'Владимир Соколов', 'Vladimir Sokolow'),
	('two people', 'Надежда Щукина', 'Vladimir Sokolov')) v(what, a, b);
SELECT arabic_letters(U&'\0623\062D\0645\062F \0639\0644\0649') = arabic_letters(U&'\0627\062D\0640\0645\062F \0639\0644\064A') AS equal;
SELECT what, jaccard(token_runs(code_tokens(a)), token_runs(code_tokens(b))) >= 0.8 AS same
FROM (VALUES ('int sum = 0; for (int i = 0; i < n; i++) { if (values[i] > 0) sum += values[i]; } // positive')) s(a),
	(VALUES ('renamed', E'int total = 0;\nfor (int k = 0; k < count; k++)\n{\n\tif (items[k] > 0) /* only\nthese */\n\t\ttotal += items[k];\n}'),
		('less', 'int sum = 0; for (int i = 0; i < n; i++) { if (values[i] < 0) sum += values[i]; }'), ('other code', 'while (node != null) { if (node.key == key) return node; node = node.next; }')) v(what, b);
SELECT code_tokens('for (x = "a b"; y <= 10.5; x++) // end');
-- code between comments stays; what looks like a comment in a string is none, nor is a quote in a comment a string
SELECT code_tokens(t) FROM (VALUES (1, '/* a */ x = f(1); /* b */ y = 2;'), (2, 'url = "http://x.org/a"; y = 2;'), (3, E'a = "b \\" // c"; /** don''t **/ d = ''"''; // e /* f\ng /***/ / h')) v(n, t) ORDER BY n;
-- the patterns for Python
DO $do$ BEGIN EXECUTE replace(replace(replace(pg_get_functiondef('code_tokens'::regproc), 'code_tokens', 'python_tokens'), '// [^\n]*', '[#] [^\n]*'), '^/[*/]', '^#'); END $do$;
SELECT python_tokens(E'total = 0  # the "sum\nfor x in values: total += x');

-- Few distinct payees in many rows: 300 payees in three spellings each, and no pair of rows is compared twice.
CREATE TABLE payments AS SELECT i AS id, md5((i % 300)::text) || (ARRAY['', ' Ltd', ' Inc'])[1 + i / 300 % 3] AS payee, round((i % 7) * 0.04, 2) AS amount FROM generate_series(1, 3600) i;
CREATE TABLE payees AS SELECT DISTINCT payee FROM payments;
ALTER TABLE payees ADD PRIMARY KEY (payee), ADD sig minhash GENERATED ALWAYS AS (to_minhash(payee, 'char:2')) STORED;
CREATE INDEX ON payees USING lsh (sig);
CREATE TABLE payee_pairs AS SELECT a.payee, b.payee AS other FROM payees a JOIN payees b ON minhash_similar(a.sig, b.sig, 0.6, 1);
SELECT count(*) AS pairs, count(*) FILTER (WHERE left(x.payee, 32) <> left(y.payee, 32)) AS wrong,
	count(*) = (SELECT count(*) FROM payments a JOIN payments b ON a.id < b.id AND left(a.payee, 32) = left(b.payee, 32) AND abs(a.amount - b.amount) <= 0.10) AS all_found
FROM payments x JOIN payee_pairs p USING (payee) JOIN payments y ON y.payee = p.other WHERE x.id < y.id AND abs(x.amount - y.amount) <= 0.10;

-- Name and number within a tolerance: (1, 2), (3, 4), (6, 7).
CREATE TABLE items (id int PRIMARY KEY, name text, weight numeric, sig minhash(128) GENERATED ALWAYS AS (to_minhash(name,'char:3')) STORED);
INSERT INTO items VALUES (1,'Garden gravel, grey, bag',19.6),(2,'Garden gravel grey (bag)',20.2),(3,'Quartz sand for joints',12.45),(4,'Quartz sand, for joints',12.55),(5,'Garden gravel, grey, bag',25.0),
	(6,'Bark mulch, coarse',8),(7,'Bark mulch coarse',8.0),(8,'Peat-free compost',8.1);
SELECT a.id, b.id AS other FROM items a JOIN items b ON minhash_similar(a.sig, b.sig, 0.4) AND abs(a.weight - b.weight) < 0.7 AND a.id < b.id ORDER BY 1;

-- Rows of twelve numbers, of which one in twenty has a copy with noise in all and another value in one: 100 of 100.
CREATE FUNCTION cells(v float8[], steps float8[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(n || half || floor(x / steps[n] + CASE half WHEN 'b' THEN 0.5 ELSE 0 END))
	FROM unnest(v) WITH ORDINALITY AS u(x, n), unnest('{a,b}'::text[]) half WHERE x IS NOT NULL $$;
SELECT cells('{1.25,NULL,-0.04}', '{0.1,1,0.1}');
SELECT setseed(0.5);
CREATE TABLE readings AS SELECT i AS id, ARRAY(SELECT (random() * 100)::numeric(5, 2)::float8 FROM generate_series(1, 12) j WHERE i = i) AS v FROM generate_series(1, 2000) i;
INSERT INTO readings SELECT 10000 + id, ARRAY(SELECT CASE WHEN n = 1 + id % 12 THEN x + 3 ELSE x + (id % 3 - 1) * 0.004 END FROM unnest(v) WITH ORDINALITY AS u(x, n) ORDER BY n) FROM readings WHERE id % 20 = 0;
ALTER TABLE readings ADD sig minhash GENERATED ALWAYS AS (array_to_minhash(cells(v, array_fill(0.1::float8, '{12}')))) STORED;
CREATE INDEX ON readings USING lsh (sig);
SELECT count(*) FILTER (WHERE b.id = 10000 + a.id) AS copies, count(*) AS pairs FROM readings a JOIN readings b ON a.id < b.id AND minhash_similar(a.sig, b.sig, 0.5);

-- Differences: 1 and 2 in the marks of the authors, the journal, "a" in the title and the pages, 3 and 4 in one word,
-- 5 and 6 in a sign and a repeated word.
CREATE TABLE refs (id int PRIMARY KEY, title text, authors text, journal text, year int, pages text,
	sig minhash GENERATED ALWAYS AS (to_minhash(coalesce(title,'')||' '||coalesce(authors,''),'char:3')) STORED);
INSERT INTO refs VALUES (1,'Soil moisture and frost in alpine meadows: ten years of records','Brandl K, Ito M','J Alp Soil',2019,'11-19'),
(2,'Soil moisture and frost in alpine meadows: a ten years of records','Brandl, K.; Ito, M.',NULL,2019,'11-20'),
(3,'Effects of low oxygen on the sleep of mice','Okafor T','Sleep Lett',2021,'201-207'),(4,'Effects of low oxygen on the sleep of rats','Okafor T','Sleep Lett',2021,'201-207'),
(5,'Lakes that warm','Moe A','Limnol',-5,'7'),(6,'Lakes that warm','Moe A','Limnol Limnol',5,'7');
SELECT a.id, b.id AS other, field, CASE WHEN x IS NULL OR y IS NULL THEN 'missing' WHEN same THEN 'same words' ELSE 'differs' END AS state,
	CASE WHEN same THEN x ELSE text_without(x, y, 'word:1') END AS only_here, CASE WHEN same THEN y ELSE text_without(y, x, 'word:1') END AS only_there
FROM refs a JOIN refs b ON minhash_similar(a.sig, b.sig, 0.5) AND a.id < b.id, to_jsonb(a) AS row_a, to_jsonb(b) AS row_b,
	jsonb_object_keys(row_a - '{id,sig}'::text[]) AS field, LATERAL (SELECT row_a ->> field AS x, row_b ->> field AS y) f, LATERAL (SELECT coalesce(jaccard(x, y, 'word:1'), 1) = 1 AS same) s
WHERE x IS DISTINCT FROM y ORDER BY 1, 2, 3;
