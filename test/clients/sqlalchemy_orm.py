"""SQLAlchemy: what a program does with signatures.  Reported as TAP."""
from tap import PLANS, TEXT, done, is_, like, more

# README
from sqlalchemy import BigInteger, Column, Computed, Identity, Text, create_engine, func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.types import UserDefinedType

class Minhash(UserDefinedType):
    cache_ok = True

    def __init__(self, num_hashes=None):
        self.num_hashes = num_hashes

    def get_col_spec(self, **kw):
        return f"minhash({self.num_hashes})" if self.num_hashes else "minhash"

postgresql.base.ischema_names["minhash"] = Minhash     # so that reflection knows the type

class Article(declarative_base()):
    __tablename__ = "articles"
    id = Column(BigInteger, Identity(), primary_key=True)
    title = Column(Text)
    body = Column(Text, nullable=False)
    sig = Column(Minhash, Computed("to_minhash(body)"))

def search(session, text, threshold):
    similar = func.minhash_similar(Article.sig, func.to_minhash(text), threshold)
    nearest = func.jaccard(Article.sig, func.to_minhash(text)).desc()
    return session.scalars(select(Article).where(similar).order_by(nearest, Article.id)).all()
# end

import sqlalchemy
from sqlalchemy import Float, cast, inspect, text as sql

driver = "psycopg" if sqlalchemy.__version__ >= "2" else "psycopg2"
engine = create_engine(f"postgresql+{driver}://")

with Session(engine) as session:
    is_([row.title for row in search(session, TEXT, 0.8)], ["Fox"], f"{driver}: search with a bound text")
    vixen = Article(title="Vixen", body=TEXT + " in May")
    session.add(vixen)
    session.flush()
    is_([row.title for row in search(session, TEXT, 0.5)], ["Fox", "Vixen"], "insert of an object")
    like(vixen.sig, "^char:5/one-permutation/128/0/", "which then has its signature")
    vixen.body = "Another text"
    session.flush()
    is_([row.title for row in search(session, TEXT, 0.5)], ["Fox"], "a change of its text")
    is_(len(search(session, TEXT + " in June or in July", 0.99)), 0, "a threshold as parameter")
    is_(session.scalars(select(Article.id).where(Article.sig.op("%")(func.to_minhash(TEXT)))).all(), [1],
        "the operator")
    like(str(session.execute(select(Article.sig.op("<->", return_type=Float)(func.to_minhash(TEXT)))
        .where(Article.id == 1)).scalar()), "^0(.0)?$", "the distance")

    is_(session.scalar(select(func.to_minhash("some text", "word:2"))),
        session.scalar(sql("SELECT to_minhash('some text', 'word:2')")), "a shingling as parameter")
    tags = cast(["red", "green"], postgresql.ARRAY(Text))
    is_(session.scalar(select(func.array_to_minhash(tags))),
        session.scalar(sql("SELECT array_to_minhash('{red,green}'::text[])")), "an array as parameter")

    session.execute(select(func.set_config("lshsim.similarity_threshold", "1", True)))
    is_(session.scalars(select(Article.title).where(Article.sig.op("%")(func.to_minhash(TEXT)))).all(), ["Fox"],
        "a setting of the transaction")

    fox = session.get(Article, 1)
    is_(session.scalars(select(Article.id).where(Article.sig == fox.sig)).all(), [1], "a signature out and in again")
    is_(session.scalar(select(func.count()).select_from(select(Article.sig).distinct().subquery())),
        session.scalar(select(func.count(Article.sig.distinct()))), "distinct signatures")
    session.execute(sql("SET LOCAL plan_cache_mode = force_generic_plan"))
    before = session.execute(sql(PLANS)).fetchone()
    for _ in range(3):
        search(session, TEXT, 0.8)
    is_(more(before, session.execute(sql(PLANS)).fetchone())[1:], [3, 0], "searches use the index")
    session.rollback()

columns = {column["name"]: column for column in inspect(engine).get_columns("articles")}
is_((str(columns["sig"]["type"]), "to_minhash" in columns["sig"]["computed"]["sqltext"]), ("minhash", True),
    "reflection knows type and expression")
with engine.begin() as connection:
    connection.execute(sql("CREATE TEMP TABLE sized (sig minhash(64))"))
    is_(str(inspect(connection).get_columns("sized")[0]["type"]), "minhash(64)", "and the number of hashes")
done()
