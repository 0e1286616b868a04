"""Django: what a program does with signatures.  Reported as TAP."""
import os

import django
from django.conf import settings
from django.db import connection, models
from tap import PLANS, TEXT, done, is_, like, more, ok

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"],
        "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"], "USER": os.environ["PGUSER"]}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", INSTALLED_APPS=[])
django.setup()


class Default(models.Expression):
    """The word DEFAULT."""

    def as_sql(self, compiler, connection):
        return "DEFAULT", ()


class OldGeneratedField(models.Field):
    """A replacement for generated columns before Django 5."""
    db_returning = True

    def __init__(self, expression=None, output_field=None, db_persist=True, **options):
        self.output = output_field
        super().__init__(**options)

    def db_type(self, connection):
        return self.output.db_type(connection)

    def pre_save(self, instance, add):
        return Default()


if django.VERSION < (5,):
    models.GeneratedField = OldGeneratedField

# README
from django.db import models
from django.db.models import BooleanField, FloatField, Func, Value

class MinhashField(models.Field):
    def db_type(self, connection):
        return "minhash"

class Article(models.Model):
    title = models.TextField()
    body = models.TextField()
    sig = models.GeneratedField(
        expression=Func("body", function="to_minhash"), output_field=MinhashField(), db_persist=True)

    class Meta:
        app_label, db_table = "library", "articles"

def search(text, threshold):
    q = Func(Value(text), function="to_minhash")
    similar = Func("sig", q, Value(threshold), function="minhash_similar", output_field=BooleanField())
    similarity = Func("sig", q, function="jaccard", output_field=FloatField())
    return Article.objects.filter(similar).annotate(similarity=similarity).order_by("-similarity", "id")
# end


def rows(query, *values):
    """Return the rows of a query in SQL."""
    with connection.cursor() as cursor:
        cursor.execute(query, values or None)
        return cursor.fetchall()


is_([row.title for row in search(TEXT, 0.8)], ["Fox"], "search with a bound text")
vixen = Article.objects.create(title="Vixen", body=TEXT + " in May")
is_([row.title for row in search(TEXT, 0.5)], ["Fox", "Vixen"], "an object is inserted")
vixen.refresh_from_db()
like(vixen.sig, "^char:5/one-permutation/128/0/", "and has its signature")
vixen.body = "Another text"
vixen.save()
is_(search(TEXT, 0.5).count(), 1, "a change of its text")
Article.objects.bulk_create(Article(title=f"Cub {n}", body=TEXT + f" for time {n}") for n in range(3))
is_(search(TEXT, 0.5).count(), 4, "objects are inserted in bulk")
is_(search(TEXT + " in June or in July", 0.99).count(), 0, "a threshold as parameter")
fox = search(TEXT, 0.8)[0]
is_((fox.similarity, Article.objects.filter(title="Fox", sig=fox.sig).count()), (1, 1),
    "a signature out and in again")
is_(Article.objects.values("sig").distinct().count(), Article.objects.count(), "distinct signatures")
is_(rows("SELECT to_minhash(%s, %s)", "some text", "word:2"),
    rows("SELECT to_minhash('some text', 'word:2')"), "a shingling as parameter")
is_(rows("SELECT array_to_minhash(%s::text[])", ["red", "green"]),
    rows("SELECT array_to_minhash('{red,green}'::text[])"), "an array as parameter")
rows("SELECT set_config('lshsim.similarity_threshold', %s, false)", "1")
is_(rows("SELECT title FROM articles WHERE sig %% to_minhash(%s)", TEXT), [("Fox",)], "a setting of the session")

connection.set_autocommit(False)
before = rows(PLANS)[0]
for _ in range(3):
    list(search(TEXT, 0.8))
is_(more(before, rows(PLANS)[0])[1:], [3, 0], "searches use the index")
connection.rollback()

if django.VERSION >= (5,):
    with connection.schema_editor(collect_sql=True) as editor:
        editor.create_model(Article)
    like(str(editor.collected_sql), r'"sig" minhash GENERATED ALWAYS AS \(to_minhash\("body"\)\) STORED',
        "a migration makes the column")


class Plain(models.Model):
    """The same table without the generated column, as DEPLOYMENT.md says for Django before 5."""
    title = models.TextField()
    body = models.TextField()

    class Meta:
        app_label, db_table = "library", "articles"


Plain.objects.create(title="Cat", body=TEXT + " in April")
Article = Plain
# README
from django.db.models.expressions import RawSQL

def search_in_sql(text, threshold):
    similar = RawSQL("minhash_similar(sig, to_minhash(%s), %s)", (text, threshold), output_field=BooleanField())
    return Article.objects.filter(similar)
# end
ok("Cat" in [row.title for row in search_in_sql(TEXT, 0.5)], "a model without the generated column")
connection.rollback()
done()
