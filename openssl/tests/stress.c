/*
 * Signs, verifies and decrypts from many threads, and checks every result.
 *
 * stress THREADS ROUNDS [FORKS] [seconds]: each thread signs ROUNDS times with each of three keys, and decrypts. While
 * they do, the first thread starts FORKS other programs (fork and exec: a child of a process with threads may do
 * nothing else, as another thread may have been inside a lock of OpenSSL's). Then, with all threads ended, FORKS
 * children are forked, each of which signs from threads of its own, as the workers of servers do, which are forked
 * before there are threads. With "seconds" it prints the seconds of processor time that the threads took.
 */
#include "common.h"
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 3, MOST_THREADS = 256 };

static EVP_PKEY *keys[KEYS];
static int rounds;

static void sign_and_verify(EVP_PKEY *key, unsigned number)
{
    unsigned char message[32] = { 0 }, signature[1024];
    size_t length = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    memcpy(message, &number, sizeof number);
    must(context != NULL, "EVP_MD_CTX_new");
    must(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1, "EVP_DigestSignInit");
    must(EVP_DigestSign(context, signature, &length, message, sizeof message) == 1, "EVP_DigestSign");
    must(EVP_MD_CTX_reset(context) == 1, "EVP_MD_CTX_reset");
    must(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1, "EVP_DigestVerifyInit");
    must(EVP_DigestVerify(context, signature, length, message, sizeof message) == 1, "a signature is wrong");
    EVP_MD_CTX_free(context);
}

static void encrypt_and_decrypt(EVP_PKEY *key, unsigned number)
{
    unsigned char ciphertext[1024], plaintext[1024];
    size_t length = sizeof ciphertext, plain = sizeof plaintext;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    must(context != NULL, "EVP_PKEY_CTX_new");
    must(EVP_PKEY_encrypt_init(context) == 1, "EVP_PKEY_encrypt_init");
    must(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1, "OAEP");
    must(EVP_PKEY_encrypt(context, ciphertext, &length, (unsigned char *)&number, sizeof number) == 1, "encrypt");
    must(EVP_PKEY_decrypt_init(context) == 1, "EVP_PKEY_decrypt_init");
    must(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1, "OAEP");
    must(EVP_PKEY_decrypt(context, plaintext, &plain, ciphertext, length) == 1, "decrypt");
    must(plain == sizeof number && memcmp(plaintext, &number, plain) == 0, "a plaintext is wrong");
    EVP_PKEY_CTX_free(context);
}

static void *work(void *first)
{
    unsigned number = *(unsigned *)first;
    for (int round = 0; round < rounds; round++, number++) {
        for (int key = 0; key < KEYS; key++)
            sign_and_verify(keys[key], number);
        if (round % 4 == 0)
            encrypt_and_decrypt(keys[0], number);
    }
    return NULL;
}

static void start(pthread_t *threads, unsigned *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        numbers[i] = 1000000u * i;
        must(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0, "pthread_create");
    }
}

static void join(pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void must_end_well(pid_t child)
{
    int status;
    must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child failed");
}

int main(int count, char **arguments)
{
    pthread_t threads[MOST_THREADS];
    unsigned numbers[MOST_THREADS];
    struct rusage used;
    if (count < 3) {
        fprintf(stderr, "stress THREADS ROUNDS [FORKS] [seconds]\n");
        return 2;
    }
    int threads_count = atoi(arguments[1]), forks = count > 3 ? atoi(arguments[3]) : 0;
    must(threads_count > 0 && threads_count <= MOST_THREADS, "1 to 256 threads");
    keys[0] = EVP_RSA_gen(2048);
    keys[1] = EVP_EC_gen("P-384");
    keys[2] = EVP_EC_gen("P-256");
    for (int key = 0; key < KEYS; key++)
        must(keys[key] != NULL, "a key is made");

    rounds = atoi(arguments[2]);
    start(threads, numbers, threads_count);
    for (int i = 0; i < forks; i++) {
        pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            execlp("true", "true", (char *)NULL);
            _exit(1);
        }
        must_end_well(child);
    }
    join(threads, threads_count);
    getrusage(RUSAGE_SELF, &used);
    long half = used.ru_maxrss;
    if (count > 4)
        printf("%.2f\n", used.ru_utime.tv_sec + used.ru_utime.tv_usec / 1e6 + used.ru_stime.tv_sec
            + used.ru_stime.tv_usec / 1e6);

    for (int i = 0; i < forks; i++) {
        pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            rounds = 3;
            start(threads, numbers, 16);
            join(threads, 16);
            exit(0);
        }
        must_end_well(child);
    }

    /* The same again takes no more memory, but for fragments. */
    start(threads, numbers, threads_count);
    join(threads, threads_count);
    getrusage(RUSAGE_SELF, &used);
    must(used.ru_maxrss < half + half / 4 + 8192, "memory stays flat");
    for (int key = 0; key < KEYS; key++)
        EVP_PKEY_free(keys[key]);
    return 0;
}
