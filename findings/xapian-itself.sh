#!/usr/bin/env bash
# Software: Xapian 1.4.22 of Debian 12 (python3-xapian 1.4.22-1, libxapian30 1.4.22-1).
# Guess: a search for all words of a document gives that document 100 %, and no other comes before it.
# Seen: a document that repeats its text three times gets 100 %, the document itself less, because BM25 counts repetitions
#   and percentages are relative to the best match.
# Why it matters: "more like this" of a search engine is no test for duplicates: there is no percentage above which
#   documents are equal. Take its results as candidates, and compare sets or signatures.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-xapian=1.4.22-1 libxapian30=1.4.22-1
for deb in *.deb; do dpkg-deb -x "$deb" .; done
LD_LIBRARY_PATH=$(echo usr/lib/*-linux-gnu) PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 >seen - <<'END'
import xapian
text = "the quick brown fox jumps over the lazy dog near the old river bank"
texts = {"itself": text, "three times": " ".join([text] * 3), "other": "compilers and registers"}
database = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
for name, content in texts.items():
    document = xapian.Document()
    document.set_data(name)
    generator = xapian.TermGenerator()
    generator.set_document(document)
    generator.index_text(content)
    database.add_document(document)
enquire = xapian.Enquire(database)
enquire.set_query(xapian.Query(xapian.Query.OP_OR, text.split()))
for match in enquire.get_mset(0, 10):
    print(match.document.get_data().decode(), "100 %" if match.percent == 100 else "less than 100 %")
END
cat seen
diff seen - <<'END'
three times 100 %
itself less than 100 %
END
