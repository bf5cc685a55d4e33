/* SPDX-License-Identifier: Apache-2.0 */
/* What systemd and a service say to each other (sd_listen_fds(3),
 * sd_notify(3)); without systemd the calls do nothing. */
#ifndef SURETY_CLI_SYSTEMD_H
#define SURETY_CLI_SYSTEMD_H

/* How many listening sockets the process was started with: the descriptors from
 * SYSTEMD_FIRST on. */
enum { SYSTEMD_FIRST = 3 };
unsigned systemd_sockets(void);

/* Reports a state: "READY=1", "STOPPING=1". */
void systemd_tell(const char *state);
/* Reports that the configuration is read again; READY=1 is its end. */
void systemd_tell_reload(void);

#endif
