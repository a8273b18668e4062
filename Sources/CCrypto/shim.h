// Swift's access to OpenSSL's libcrypto: SHA-256, and the cipher of HLS. The library is loaded when a stream
// first needs it. Its few functions are declared here as versions 1.1 and 3 have them, so that a build needs
// no headers of OpenSSL.
#pragma once
#include "../CLinux/library.h"

static const char *const ccrypto_files[] = {"libcrypto.so.3", "libcrypto.so.1.1", NULL};

#define CCRYPTO(name, result, ...) \
  LIBRARY_FUNCTION(ccrypto_files, name, result (*)(__VA_ARGS__), NULL)

// Writes the 32 bytes of SHA-256 to `hash`. Returns 1, or 0 if libcrypto cannot be loaded.
static inline int ccrypto_sha256(const unsigned char *bytes, size_t count, unsigned char *hash) {
  unsigned char *(*sha256)(const unsigned char *, size_t, unsigned char *) =
      CCRYPTO(SHA256, unsigned char *, const unsigned char *, size_t, unsigned char *);
  return sha256 && sha256(bytes, count, hash) ? 1 : 0;
}

// Decrypts whole blocks of AES-128 in CBC mode, and does not remove padding. Returns 1, or 0 if libcrypto
// cannot be loaded or fails.
static inline int ccrypto_decrypt(
    const unsigned char *key, const unsigned char *vector, const unsigned char *bytes, int count,
    unsigned char *plain) {
  void *(*create)(void) = CCRYPTO(EVP_CIPHER_CTX_new, void *, void);
  void (*destroy)(void *) = CCRYPTO(EVP_CIPHER_CTX_free, void, void *);
  const void *(*aes_128_cbc)(void) = CCRYPTO(EVP_aes_128_cbc, const void *, void);
  int (*init)(void *, const void *, void *, const unsigned char *, const unsigned char *) = CCRYPTO(
      EVP_DecryptInit_ex, int, void *, const void *, void *, const unsigned char *,
      const unsigned char *);
  int (*set_padding)(void *, int) = CCRYPTO(EVP_CIPHER_CTX_set_padding, int, void *, int);
  int (*update)(void *, unsigned char *, int *, const unsigned char *, int) =
      CCRYPTO(EVP_DecryptUpdate, int, void *, unsigned char *, int *, const unsigned char *, int);
  if (!create || !destroy || !aes_128_cbc || !init || !set_padding || !update) return 0;
  void *context = create();
  if (!context) return 0;
  int written = 0;
  int is_right = init(context, aes_128_cbc(), NULL, key, vector) == 1 &&
                 set_padding(context, 0) == 1 &&
                 update(context, plain, &written, bytes, count) == 1 && written == count;
  destroy(context);
  return is_right;
}
