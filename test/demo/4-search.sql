-- Is something like this text in the table?  The threshold is 0.8 by default.
PREPARE search (text) AS
SELECT package, round(jaccard(sig, to_minhash($1))::numeric, 2) AS similarity
  FROM docs WHERE sig % to_minhash($1) ORDER BY similarity DESC, package;

EXECUTE search('daemon handling the session settings of our desktop
This package contains the daemon which is responsible for setting the
various parameters of a session and the applications that run under it.
It handles the following kinds of settings:

 * Keyboard: layout, accessibility options, shortcuts, media keys
 * Clipboard management
 * Theming: background, icons, GTK+ applications
 * Cleanup of unused files
 * Mouse: cursors, speed, accessibility options
 * Startup of other daemons: screensaver, sound daemon');

-- The same index serves every threshold.
SET lshsim.similarity_threshold = 0.6;

SELECT d.package, round(jaccard(d.sig, q.sig)::numeric, 2) AS similarity
  FROM docs d JOIN docs q ON d.sig % q.sig
 WHERE q.package = 'vim' ORDER BY similarity DESC, package;

EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
SELECT d.package FROM docs d JOIN docs q ON d.sig % q.sig
 WHERE q.package = 'vim';
