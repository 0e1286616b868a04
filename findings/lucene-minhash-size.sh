#!/usr/bin/env bash
# Software: Lucene 8 (liblucene8-java 8.8.1-4 of Debian 12, which has 8.7.0), MinHashFilter with its defaults: one hash, 512
#   buckets, rotation. Java 17 of Debian 12.
# Guess: the share of a query's min-hash terms that another text has estimates their Jaccard index, 1/3 here, at every size.
# Seen: the mean share is .50 for sets of 10 words, .49 for 50, .46 for 200, .34 for 2,000. Up to some hundred words every word is
#   alone in its bucket, so that the share is that of all words, twice the intersection by the sum of sizes. Rotation copies
#   terms into empty buckets, but terms have no place, and copies do not count.
# Why it matters: "at least 80 % of the terms" means a Jaccard index of .67 for short texts and .8 for long ones, in Lucene and
#   in what is built on it. A threshold moved from there loses pairs of short texts. Use 128 hashes with one bucket each.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download liblucene8-java=8.8.1-4 openjdk-17-jdk-headless openjdk-17-jre-headless
for deb in *.deb; do dpkg-deb -x "$deb" .; done
java=$(echo "$dir"/usr/lib/jvm/java-17-openjdk-*)
# The links point to /etc, where only an installed package has its files.
find "$java" -lname '/etc/*' | while read -r link; do ln -sfn "$dir$(readlink "$link")" "$link"; done
cat >Sizes.java <<'JAVA'
import java.io.StringReader;
import java.util.*;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.minhash.MinHashFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

public class Sizes {
	static Set<String> terms(List<String> words, int hashes, int buckets) throws Exception {
		WhitespaceTokenizer tokens = new WhitespaceTokenizer();
		tokens.setReader(new StringReader(String.join(" ", words)));
		TokenStream stream = new MinHashFilter(tokens, hashes, buckets, 1, true);
		CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
		Set<String> terms = new HashSet<>();
		for (stream.reset(); stream.incrementToken();)
			terms.add(term.toString());
		return terms;
	}

	public static void main(String[] arguments) throws Exception {
		Random random = new Random(1);
		for (int[] kind : new int[][] {{1, 512}, {128, 1}})
			for (int size : new int[] {10, 50, 200, 2000}) {
				double sum = 0;
				for (int i = 0; i < 100; i++) {
					List<String> words = new ArrayList<>();
					while (words.size() < size * 3 / 2)
						words.add(Long.toHexString(random.nextLong()));
					Set<String> a = terms(words.subList(0, size), kind[0], kind[1]);
					Set<String> b = terms(words.subList(size / 2, size * 3 / 2), kind[0], kind[1]);
					int all = a.size();
					a.retainAll(b);
					sum += (double) a.size() / all;
				}
				System.out.printf(Locale.ROOT, "%d hashes, %d buckets, sets of %d: %.2f%n", kind[0], kind[1], size, sum / 100);
			}
	}
}
JAVA
"$java/bin/java" -cp "$dir/usr/share/java/lucene-core-8.7.0.jar:$dir/usr/share/java/lucene-analyzers-common-8.7.0.jar" Sizes.java >seen
cat seen
diff seen - <<'END'
1 hashes, 512 buckets, sets of 10: 0.50
1 hashes, 512 buckets, sets of 50: 0.49
1 hashes, 512 buckets, sets of 200: 0.46
1 hashes, 512 buckets, sets of 2000: 0.34
128 hashes, 1 buckets, sets of 10: 0.34
128 hashes, 1 buckets, sets of 50: 0.33
128 hashes, 1 buckets, sets of 200: 0.34
128 hashes, 1 buckets, sets of 2000: 0.34
END
