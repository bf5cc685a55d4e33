/* SPDX-License-Identifier: Apache-2.0 */
/* bowtie.c: Surety as Bowtie sees it (https://bowtie.report), so that it can
 * be compared with other validators on the same cases.
 *
 * Bowtie's protocol, version 1 (its schema: tag:bowtie.report,2023:ihop): one
 * JSON object a line on stdin, one answer a line on stdout, in order:
 *
 *     {"cmd":"start","version":1}     what we are and which dialects we know
 *     {"cmd":"dialect","dialect":U}   the dialect of schemas that name none
 *     {"cmd":"run","seq":S,"case":C}  C's schema against its instances
 *     {"cmd":"stop"}                  end, without an answer
 *
 * A case that cannot be compiled, or an instance that cannot be judged, is an
 * answer ("errored"); a line that is no command ends the program with code 1.
 * Nothing is fetched: references go to the case's registry. `format` is not
 * asserted, as the dialects have it by default. */
#include <surety.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RFC 2606 keeps .invalid for names that must not lead anywhere. */
#define BOWTIE_HOME "https://surety.invalid/"

struct bowtie {
    surety_doc *command;
    surety_doc *answer;
    surety_checker *checker;
    surety_dialect dialect;
    surety_val registry; /* of the case that runs */
};

static const struct {
    const char *uri;
    surety_dialect dialect;
} bowtie_dialects[] = {
    {"https://json-schema.org/v1", SURETY_DIALECT_V1},
    {"https://json-schema.org/draft/2020-12/schema", SURETY_DIALECT_2020_12},
    {"https://json-schema.org/draft/2019-09/schema", SURETY_DIALECT_2019_09},
    {"http://json-schema.org/draft-07/schema#", SURETY_DIALECT_7},
    {"http://json-schema.org/draft-06/schema#", SURETY_DIALECT_6},
    {"http://json-schema.org/draft-04/schema#", SURETY_DIALECT_4},
};
enum { DIALECTS = sizeof(bowtie_dialects) / sizeof(bowtie_dialects[0]) };

static void answer_text(surety_doc *answer, const char *name, const char *text)
{
    surety_build_name(answer, name);
    surety_build_str(answer, surety_str_of(text));
}

static void answer_start(surety_doc *answer)
{
    surety_build_object(answer);
    surety_build_name(answer, "version");
    surety_build_int(answer, 1);
    surety_build_name(answer, "implementation");
    surety_build_object(answer);
    answer_text(answer, "language", "c");
    answer_text(answer, "name", "surety");
    answer_text(answer, "version", surety_version());
    answer_text(answer, "homepage", BOWTIE_HOME);
    answer_text(answer, "issues", BOWTIE_HOME "issues");
    answer_text(answer, "source", BOWTIE_HOME "source");
    surety_build_name(answer, "dialects");
    surety_build_array(answer);
    for (size_t i = 0; i < DIALECTS; i++)
        surety_build_str(answer, surety_str_of(bowtie_dialects[i].uri));
    surety_build_close(answer);
    surety_build_close(answer);
    surety_build_close(answer);
}

static void answer_dialect(struct bowtie *bowtie, surety_val command)
{
    surety_val uri = surety_val_get(command, "dialect");
    bool known = false;

    for (size_t i = 0; i < DIALECTS; i++) {
        if (surety_val_is(uri, bowtie_dialects[i].uri)) {
            bowtie->dialect = bowtie_dialects[i].dialect;
            known = true;
        }
    }
    surety_build_object(bowtie->answer);
    surety_build_name(bowtie->answer, "ok");
    surety_build_bool(bowtie->answer, known);
    surety_build_close(bowtie->answer);
}

/* Two members of an object that is open. */
static void answer_error(surety_doc *answer, const surety_error *error)
{
    surety_build_name(answer, "errored");
    surety_build_bool(answer, true);
    surety_build_name(answer, "context");
    surety_build_object(answer);
    answer_text(answer, "message", error->message);
    surety_build_close(answer);
}

static void answer_results(struct bowtie *bowtie, const surety_schema *schema,
                           surety_val tests)
{
    surety_doc *answer = bowtie->answer;

    surety_build_name(answer, "results");
    surety_build_array(answer);
    for (surety_val test = surety_val_first(tests); test.doc;
         test = surety_val_next(tests, test)) {
        surety_error error = {.message = "the check failed"};
        bool valid = false;

        surety_build_object(answer);
        if (surety_checker_check(bowtie->checker, schema,
                                 surety_val_get(test, "instance"), &valid,
                                 &error)) {
            answer_error(answer, &error);
        } else {
            surety_build_name(answer, "valid");
            surety_build_bool(answer, valid);
        }
        surety_build_close(answer);
    }
    surety_build_close(answer);
}

static surety_status registry_resolve(void *ctx, surety_str uri,
                                      surety_val *ret_val)
{
    const struct bowtie *bowtie = ctx;
    surety_val found = surety_val_member(bowtie->registry, uri);

    if (!found.doc)
        return SURETY_END;
    *ret_val = found;
    return SURETY_OK;
}

static void answer_run(struct bowtie *bowtie, surety_val command)
{
    surety_val group = surety_val_get(command, "case");
    surety_schema_options options = {.size = sizeof(options),
                                     .dialect = bowtie->dialect,
                                     .resolve = registry_resolve,
                                     .resolve_ctx = bowtie};
    surety_error error = {.message = "the compile failed"};
    surety_schema *schema = NULL;

    bowtie->registry = surety_val_get(group, "registry");
    surety_build_object(bowtie->answer);
    surety_build_name(bowtie->answer, "seq");
    surety_build_val(bowtie->answer, surety_val_get(command, "seq"));
    if (surety_schema_compile(surety_val_get(group, "schema"), &options,
                              &schema, &error))
        answer_error(bowtie->answer, &error);
    else
        answer_results(bowtie, schema, surety_val_get(group, "tests"));
    surety_build_close(bowtie->answer);
    surety_schema_free(schema);
}

/* Writes the built answer as one line. */
static surety_status bowtie_say(struct bowtie *bowtie, surety_error *error)
{
    surety_status status = surety_build_end(bowtie->answer, error);
    surety_buf line;

    surety_buf_init(&line, NULL, 0);
    if (!status)
        status = surety_val_write(surety_doc_root(bowtie->answer),
                                  SURETY_STYLE_COMPACT, &line);
    surety_buf_byte(&line, '\n');
    if (!status)
        status = line.status;
    if (!status && (fwrite(line.ptr, 1, line.len, stdout) != line.len ||
                    fflush(stdout) != 0))
        status = SURETY_IO;
    surety_buf_done(&line);
    return status;
}

/* Answers one line; SURETY_END for "stop". */
static surety_status bowtie_line(struct bowtie *bowtie, surety_str line,
                                 surety_error *error)
{
    surety_status status = surety_doc_read(bowtie->command, line, NULL, error);
    surety_val command = surety_doc_root(bowtie->command);
    surety_val cmd = surety_val_get(command, "cmd");

    if (status)
        return status;
    if (surety_val_is(cmd, "stop"))
        return SURETY_END;
    surety_build_begin(bowtie->answer, NULL);
    if (surety_val_is(cmd, "start") &&
        surety_val_int(surety_val_get(command, "version"), 0) == 1) {
        answer_start(bowtie->answer);
    } else if (surety_val_is(cmd, "dialect")) {
        answer_dialect(bowtie, command);
    } else if (surety_val_is(cmd, "run")) {
        answer_run(bowtie, command);
    } else {
        snprintf(error->message, sizeof(error->message),
                 "not a command of protocol version 1");
        return SURETY_UNSUPPORTED;
    }
    return bowtie_say(bowtie, error);
}

int main(void)
{
    struct bowtie bowtie = {.command = surety_doc_new(NULL),
                            .answer = surety_doc_new(NULL),
                            .checker = surety_checker_new(NULL, NULL)};
    surety_error error = {.message = "out of memory"};
    surety_status status = SURETY_NOMEM;
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;

    if (!bowtie.command || !bowtie.answer || !bowtie.checker)
        goto done;
    status = SURETY_OK;
    while (!status && (len = getline(&line, &cap, stdin)) > 0)
        status = bowtie_line(&bowtie, (surety_str){line, (size_t)len}, &error);
done:
    if (status < 0)
        fprintf(stderr, "surety-bowtie: error: %s\n", error.message);
    free(line);
    surety_checker_free(bowtie.checker);
    surety_doc_free(bowtie.answer);
    surety_doc_free(bowtie.command);
    return status < 0 ? 1 : 0;
}
