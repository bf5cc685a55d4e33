/* SPDX-License-Identifier: Apache-2.0 */
/* repair_suite.c: replies as models write them, and what must come of each.
 *
 *     repair_suite EXCEPTIONS PATH...
 *
 * A PATH is a file of cases or a folder of such files (*.jsonl), one case a
 * line:
 *
 *     id, category   for the report
 *     mode           final: the reply is all there is; partial: what has come
 *                    of a reply that is cut off is asked for
 *     input          the reply
 *     schema         the contract; null: any value at all
 *     expected       the value, or expect_error: true
 *     tier           core: must hold; stretch, policy: counted and shown
 *
 * and, where our own cases say more than that:
 *
 *     why            for the reader, where an answer can be argued with
 *     grade          N: there is no repair; S: all are certain; R: one at least
 *                    is likely
 *     open           the pointer of the value that is open, or null: the value
 *                    is complete
 *     cut            true: the provider says that it cut the reply off
 *     needs          yaml: passed over where it is not built in
 *     principle      the number of the principle of docs/repair.md that
 * decides; a case of ours that is refused, or is policy, has one
 *
 * A line of TAP for each category and mode of a file, with the failing cases
 * above it, and then one for each law that must hold of every case, whatever
 * its tier and whatever comes of it (repair_laws.c). EXCEPTIONS lists cases
 * that we decide otherwise; one that comes out as expected is stale, and fails.
 */
#include "suite/repair_suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TALLIES_MAX = 128, EXCEPTIONS_MAX = 256 };
enum { PRINCIPLES = 15 }; /* that docs/repair.md numbers */
enum { SHOWN = 240 };     /* bytes of an input or value in a diagnostic */

struct tally {
    char category[48];
    bool partial;
    size_t right, wrong, excused, open; /* open: wrong, but not core */
};

struct exception {
    char *id;
    bool seen, used;
};

static struct suite {
    struct tally tallies[TALLIES_MAX];
    size_t tally_count;
    struct exception exceptions[EXCEPTIONS_MAX];
    size_t exception_count;
    size_t cases;
    size_t number; /* of the last TAP line */
    bool failed;
    surety_checker *checker;
} suite;

/* ---- showing ------------------------------------------------------------- */

void repair_show(const char *label, surety_str text)
{
    surety_buf out;
    const bool tail = text.len > SHOWN;

    surety_buf_init(&out, NULL, 0);
    if (tail) {
        surety_json_string(&out, (surety_str){text.ptr, SHOWN / 2});
        surety_buf_text(&out, " ... ");
        text = (surety_str){text.ptr + text.len - SHOWN / 2, SHOWN / 2};
    }
    surety_json_string(&out, text);
    printf("#     %s %.*s\n", label, (int)out.len, out.ptr ? out.ptr : "");
    surety_buf_done(&out);
}

static void show_val(const char *label, surety_val val)
{
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (val.doc)
        surety_val_write(val, SURETY_STYLE_COMPACT, &out);
    else
        surety_buf_text(&out, "nothing");
    printf("#     %s %.*s%s\n", label, (int)(out.len > SHOWN ? SHOWN : out.len),
           out.ptr ? out.ptr : "", out.len > SHOWN ? " ..." : "");
    surety_buf_done(&out);
}

/* What came of a case: its value or its first error, and its repairs. */
static void show_outcome(const surety_outcome *outcome)
{
    if (surety_outcome_info_of(outcome)->ok) {
        show_val("got     ", surety_outcome_info_of(outcome)->value);
    } else {
        const surety_issue issue = surety_outcome_error(outcome, 0);

        printf("#     got      %s: %.*s (at \"%.*s\")\n",
               surety_stage_name(surety_outcome_info_of(outcome)->stage),
               (int)issue.message.len,
               issue.message.len ? issue.message.ptr : "",
               (int)issue.instance_location.len,
               issue.instance_location.len ? issue.instance_location.ptr : "");
    }
    for (size_t i = 0;
         i < surety_outcome_info_of(outcome)->repaired_count && i < 6; i++) {
        const surety_repaired repaired = surety_outcome_repaired(outcome, i);

        printf("#     %s %s, cost %u\n",
               repaired.likely ? "likely " : "certain", repaired.kind,
               repaired.cost);
    }
}

/* ---- judging ------------------------------------------------------------- */

surety_judge_options repair_options(const struct way *way)
{
    return (surety_judge_options){.size = sizeof(surety_judge_options),
                                  .repair = &way->level,
                                  .certain_only = way->certain_only,
                                  .partial = way->partial,
                                  .cut = way->cut};
}

surety_outcome *repair_judge(const struct trial *trial,
                             const surety_contract *contract, surety_str reply,
                             const struct way *way)
{
    const surety_judge_options options = repair_options(way);
    surety_outcome *outcome = NULL;
    surety_error error = {.message = "no reason"};

    if (surety_contract_judge(contract, reply, &options, &outcome, &error)) {
        printf("# %s: %s\n", trial->id, error.message);
        suite_die("cannot judge", trial->id);
    }
    return outcome;
}

/* How the case itself is to be judged. */
static struct way way_of(const struct trial *trial)
{
    return (struct way){
        .level = SURETY_REPAIR_ALIGN,
        .partial = trial->partial,
        .cut = surety_val_bool(surety_val_get(trial->root, "cut"), false)};
}

size_t repair_likely(const surety_outcome *outcome)
{
    size_t count = 0;

    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count; i++)
        count += surety_outcome_repaired(outcome, i).likely;
    return count;
}

/* ---- what is expected ---------------------------------------------------- */

static const char *check_marks(const struct trial *trial,
                               const surety_outcome *outcome)
{
    const surety_val grade = surety_val_get(trial->root, "grade");
    const surety_val open = surety_val_get(trial->root, "open");
    const size_t likely = repair_likely(outcome);

    if (surety_val_is(grade, "N") &&
        surety_outcome_info_of(outcome)->repaired_count)
        return "a repair where none is needed";
    if (surety_val_is(grade, "S") && likely)
        return "a repair is likely where all ought to be certain";
    if (surety_val_is(grade, "R") && !likely)
        return "no repair is likely where one ought to be";
    if (!trial->partial && surety_outcome_info_of(outcome)->partial)
        return "a partial value that nobody asked for";
    if (open.doc && surety_val_kind(open) == SURETY_KIND_NULL &&
        surety_outcome_info_of(outcome)->partial)
        return "marked as partial, and is complete";
    if (surety_val_kind(open) == SURETY_KIND_STRING &&
        !surety_outcome_info_of(outcome)->partial)
        return "not marked as partial";
    if (surety_val_kind(open) == SURETY_KIND_STRING &&
        !surety_str_equal(surety_val_str(open),
                          surety_outcome_info_of(outcome)->open))
        return "another value is said to be open";
    return NULL;
}

/* What is wrong; NULL: nothing. */
static const char *check_expected(const struct trial *trial,
                                  const surety_outcome *outcome)
{
    const surety_val expected = surety_val_get(trial->root, "expected");

    if (!expected.doc)
        return surety_outcome_info_of(outcome)->ok ? "must be refused" : NULL;
    if (!surety_outcome_info_of(outcome)->ok)
        return "must come to a value";
    if (!surety_val_equal(surety_outcome_info_of(outcome)->value, expected))
        return "comes to another value";
    return check_marks(trial, outcome);
}

static struct tally *find_tally(const struct trial *trial)
{
    char *category = suite_text(surety_val_get(trial->root, "category"));
    struct tally *tally = suite.tallies;

    while (tally < suite.tallies + suite.tally_count &&
           (strcmp(tally->category, category) != 0 ||
            tally->partial != trial->partial))
        tally++;
    if (tally == suite.tallies + suite.tally_count) {
        if (suite.tally_count++ == TALLIES_MAX)
            suite_die("too many categories", category);
        memset(tally, 0, sizeof(*tally));
        snprintf(tally->category, sizeof(tally->category), "%s", category);
        tally->partial = trial->partial;
    }
    free(category);
    return tally;
}

static struct exception *find_exception(const char *id)
{
    for (size_t i = 0; i < suite.exception_count; i++)
        if (strcmp(suite.exceptions[i].id, id) == 0)
            return &suite.exceptions[i];
    return NULL;
}

static void run_expected(const struct trial *trial)
{
    const struct way way = way_of(trial);
    surety_outcome *outcome =
        repair_judge(trial, trial->contract, trial->input, &way);
    const char *wrong = check_expected(trial, outcome);
    struct exception *exception = find_exception(trial->id);
    struct tally *tally = find_tally(trial);
    char *tier = suite_text(surety_val_get(trial->root, "tier"));

    if (exception && trial->core)
        suite_die("an exception for a core case", trial->id);
    if (exception)
        exception->seen = true;
    if (!wrong) {
        tally->right++;
    } else if (exception) {
        exception->used = true;
        tally->excused++;
    } else {
        tally->wrong += trial->core;
        tally->open += !trial->core;
        printf("# %s (%s, %s): %s\n", trial->id, tally->category, tier, wrong);
        repair_show("input   ", trial->input);
        show_val("expected", surety_val_get(trial->root, "expected"));
        show_outcome(outcome);
    }
    free(tier);
    surety_outcome_free(outcome);
}

bool repair_satisfies(const struct trial *trial, surety_val val)
{
    bool valid = false;

    return surety_checker_check(
               suite.checker, surety_contract_info_of(trial->contract)->schema,
               val, &valid, NULL) == SURETY_OK &&
           valid;
}

/* Whether a case needs what is not built in. */
static bool is_passed_over(const struct trial *trial)
{
#ifdef SURETY_WITH_YAML
    (void)trial;
    return false;
#else
    const bool needs =
        surety_val_is(surety_val_get(trial->root, "needs"), "yaml");

    if (needs)
        printf("# %s: skipped: built without libyaml\n", trial->id);
    return needs;
#endif
}

/* Whether a case of ours names the principle that decides it, if one does. */
static void check_principle(const struct trial *trial)
{
    const surety_val principle = surety_val_get(trial->root, "principle");
    const int64_t number = surety_val_int(principle, 0);
    const bool decided =
        surety_val_is(surety_val_get(trial->root, "tier"), "policy") ||
        !surety_val_get(trial->root, "expected").doc;

    if (principle.doc ? number < 1 || number > PRINCIPLES : decided)
        suite_die("a case without a principle of docs/repair.md", trial->id);
}

/* ---- files --------------------------------------------------------------- */

static void run_line(surety_doc *doc, surety_str line, const char *path,
                     bool own)
{
    surety_error error = {.message = "no reason"};
    struct trial trial = {.core = true};
    surety_val schema;
    surety_buf text;

    if (surety_doc_read(doc, line, NULL, &error))
        suite_die(error.message, path);
    trial.root = surety_doc_root(doc);
    trial.id = suite_text(surety_val_get(trial.root, "id"));
    trial.input = surety_val_str(surety_val_get(trial.root, "input"));
    trial.partial =
        surety_val_is(surety_val_get(trial.root, "mode"), "partial");
    trial.core = surety_val_is(surety_val_get(trial.root, "tier"), "core");
    if (own)
        check_principle(&trial);
    if (is_passed_over(&trial)) {
        free(trial.id);
        return;
    }
    schema = surety_val_get(trial.root, "schema");
    surety_buf_init(&text, NULL, 0);
    if (surety_val_kind(schema) == SURETY_KIND_NULL)
        surety_buf_text(&text, "true");
    else
        surety_val_write(schema, SURETY_STYLE_COMPACT, &text);
    if (surety_contract_read(surety_buf_str(&text), NULL, &trial.contract,
                             &error)) {
        printf("# %s: %s\n", trial.id, error.message);
        suite_die("no contract", trial.id);
    }
    if (!trial.partial && surety_val_get(trial.root, "expected").doc &&
        !repair_satisfies(&trial, surety_val_get(trial.root, "expected")))
        suite_die("what is expected breaks the contract", trial.id);
    suite.cases++;
    run_expected(&trial);
    repair_laws_run(&trial);
    surety_contract_free(trial.contract);
    surety_buf_done(&text);
    free(trial.id);
}

static void report_line(bool good, const char *what)
{
    printf("%sok %zu - %s\n", good ? "" : "not ", ++suite.number, what);
    suite.failed |= !good;
}

static void report_tallies(const char *name)
{
    char what[512];

    for (size_t i = 0; i < suite.tally_count; i++) {
        const struct tally *tally = &suite.tallies[i];
        const size_t all =
            tally->right + tally->wrong + tally->open + tally->excused;

        snprintf(what, sizeof(what),
                 "%s: %s, %s: %zu of %zu; core wrong: %zu, others wrong: %zu, "
                 "excepted: %zu",
                 name, tally->category, tally->partial ? "partial" : "final",
                 tally->right, all, tally->wrong, tally->open, tally->excused);
        report_line(!tally->wrong, what);
    }
}

static void report_laws(const char *name)
{
    const char *law;
    char what[512];
    size_t broken;

    for (size_t i = 0; (law = repair_laws_take(i, &broken)); i++) {
        snprintf(what, sizeof(what), "%s: %s: broken %zu times", name, law,
                 broken);
        report_line(!broken, what);
    }
}

/* own: the cases are ours. */
static void run_file(const char *path, bool own)
{
    FILE *file = fopen(path, "rb");
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf line;

    if (!file)
        suite_die("cannot read", path);
    surety_buf_init(&line, NULL, 0);
    while (suite_next_line(file, &line))
        if (line.len)
            run_line(doc, surety_buf_str(&line), path, own);
    surety_buf_done(&line);
    surety_doc_free(doc);
    fclose(file);
}

static void run_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct suite_files files;

    if (access(path, R_OK) != 0) {
        printf("ok %zu - %s # SKIP no cases there\n", ++suite.number, path);
        return;
    }
    suite.tally_count = suite.cases = 0;
    suite_list(&files, path, ".jsonl");
    for (size_t i = 0; i < files.count; i++)
        run_file(files.paths[i], strcmp(path, files.paths[i]) != 0);
    suite_unlist(&files);
    if (!suite.cases)
        suite_die("no case", path);
    report_tallies(name);
    report_laws(name);
    fflush(stdout);
}

/* Lines "ID REASON"; empty ones and those that begin with # are passed over. */
static void read_exceptions(const char *path)
{
    FILE *file = fopen(path, "rb");
    surety_buf line;

    if (!file)
        suite_die("cannot read", path);
    surety_buf_init(&line, NULL, 0);
    while (suite_next_line(file, &line)) {
        char *blank;

        if (!line.len || line.ptr[0] == '#')
            continue;
        surety_buf_byte(&line, '\0');
        blank = strchr(line.ptr, ' ');
        if (!blank || !blank[1])
            suite_die("an exception without a reason", line.ptr);
        if (suite.exception_count == EXCEPTIONS_MAX)
            suite_die("too many exceptions", path);
        *blank = '\0';
        suite.exceptions[suite.exception_count++].id = suite_join("", line.ptr);
    }
    surety_buf_done(&line);
    fclose(file);
}

static void report_exceptions(void)
{
    bool good = true;

    for (size_t i = 0; i < suite.exception_count; i++) {
        const struct exception *exception = &suite.exceptions[i];

        if (exception->seen && !exception->used) {
            printf("# stale: %s comes out as expected\n", exception->id);
            good = false;
        }
        free(exception->id);
    }
    report_line(good, "no exception is stale");
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: repair_suite EXCEPTIONS PATH...\n");
        return 2;
    }
    read_exceptions(argv[1]);
    suite.checker = surety_checker_new(NULL, NULL);
    if (!suite.checker)
        suite_die("out of memory", "a checker");
    for (int i = 2; i < argc; i++)
        run_path(argv[i]);
    report_exceptions();
    printf("1..%zu\n", suite.number);
    surety_checker_free(suite.checker);
    return suite.failed;
}
