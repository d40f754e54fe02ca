/*
 * Clients of a TLS server: full handshakes from many threads.
 *
 * clients PORT THREADS HANDSHAKES VERSION [abort]: THREADS threads make HANDSHAKES handshakes in all, by TLS VERSION
 * ("1.2" or "1.3"), without resumption. With "abort" every other connection is closed after the first message. Prints
 * the number of whole handshakes, the seconds, and the median and the 99th percentile of a handshake in milliseconds.
 */
#include "common.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 20, MOST_THREADS = 1024 };

static SSL_CTX *context;
static struct sockaddr_in address;
static atomic_int left, made;
static int aborts;
static double times[MOST];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* A connection whose server has to sign, and which ends before it can answer. */
static void give_up(void)
{
    int one = 1, connection = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(connection, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    SSL *ssl = SSL_new(context);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    char *hello;
    SSL_set_bio(ssl, in, out);
    SSL_connect(ssl);
    long length = BIO_get_mem_data(out, &hello);
    must(write(connection, hello, length) == length, "write");
    SSL_free(ssl);
    close(connection);
}

static void *work(void *unused)
{
    for (;;) {
        int number = atomic_fetch_sub(&left, 1);
        if (number <= 0)
            return unused;
        if (aborts && number % 2 == 0) {
            give_up();
            continue;
        }
        double start = now();
        int connection = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(connection, (struct sockaddr *)&address, sizeof address) == 0, "connect");
        SSL *ssl = SSL_new(context);
        SSL_set_fd(ssl, connection);
        must(SSL_connect(ssl) == 1, "a handshake");
        times[atomic_fetch_add(&made, 1)] = now() - start;
        SSL_shutdown(ssl);
        SSL_free(ssl);
        close(connection);
    }
}

static int compare(const void *x, const void *y)
{
    double difference = *(const double *)x - *(const double *)y;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments)
{
    pthread_t threads[MOST_THREADS];
    if (count < 5) {
        fprintf(stderr, "clients PORT THREADS HANDSHAKES VERSION [abort]\n");
        return 2;
    }
    int threads_count = atoi(arguments[2]);
    must(threads_count > 0 && threads_count <= MOST_THREADS, "1 to 1024 threads");
    atomic_store(&left, atoi(arguments[3]));
    must(atomic_load(&left) <= MOST, "at most a million handshakes");
    aborts = count > 5;
    address.sin_family = AF_INET;
    address.sin_port = htons(atoi(arguments[1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    context = SSL_CTX_new(TLS_client_method());
    int version = strcmp(arguments[4], "1.2") == 0 ? TLS1_2_VERSION : TLS1_3_VERSION;
    SSL_CTX_set_min_proto_version(context, version);
    SSL_CTX_set_max_proto_version(context, version);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    double start = now();
    for (int i = 0; i < threads_count; i++)
        must(pthread_create(&threads[i], NULL, work, NULL) == 0, "pthread_create");
    for (int i = 0; i < threads_count; i++)
        pthread_join(threads[i], NULL);
    double seconds = now() - start;
    int all = atomic_load(&made);
    must(all > 0, "a handshake was made");
    qsort(times, all, sizeof times[0], compare);
    printf("%d %.3f %.3f %.3f\n", all, seconds, 1e3 * times[all / 2], 1e3 * times[all * 99 / 100]);
    return 0;
}
