// The door to OpenSSL's libcrypto: a hash, and the cipher of HLS. It is loaded when a stream needs it, and
// nothing is linked, so each function is found by its name. The few functions are declared here as they are
// in versions 1.1 and 3, so that building needs no headers.
#pragma once
#include <dlfcn.h>
#include <stddef.h>

static inline void *ccrypto_find(const char *name) {
  void *library = dlopen("libcrypto.so.3", RTLD_LAZY);
  if (!library) library = dlopen("libcrypto.so.1.1", RTLD_LAZY);
  return library ? dlsym(library, name) : NULL;
}

// Writes the 32 bytes of SHA-256. Returns 1, or 0 if libcrypto is not there.
static inline int ccrypto_sha256(const unsigned char *bytes, size_t count, unsigned char *hash) {
  unsigned char *(*sha256)(const unsigned char *, size_t, unsigned char *);
  sha256 = (__typeof__(sha256))ccrypto_find("SHA256");
  return sha256 && sha256(bytes, count, hash) ? 1 : 0;
}

typedef struct {
  void *(*create)(void);
  void (*destroy)(void *);
  const void *(*aes_128_cbc)(void);
  int (*init)(void *, const void *, void *, const unsigned char *, const unsigned char *);
  int (*set_padding)(void *, int);
  int (*update)(void *, unsigned char *, int *, const unsigned char *, int);
} ccrypto_cipher;

// Decrypts whole blocks of AES-128 in CBC mode, and leaves their padding where it is. Returns 1, or 0 if
// libcrypto is not there or refuses.
static inline int ccrypto_decrypt(
    const unsigned char *key, const unsigned char *vector, const unsigned char *bytes, int count,
    unsigned char *plain) {
  ccrypto_cipher cipher;
  *(void **)&cipher.create = ccrypto_find("EVP_CIPHER_CTX_new");
  *(void **)&cipher.destroy = ccrypto_find("EVP_CIPHER_CTX_free");
  *(void **)&cipher.aes_128_cbc = ccrypto_find("EVP_aes_128_cbc");
  *(void **)&cipher.init = ccrypto_find("EVP_DecryptInit_ex");
  *(void **)&cipher.set_padding = ccrypto_find("EVP_CIPHER_CTX_set_padding");
  *(void **)&cipher.update = ccrypto_find("EVP_DecryptUpdate");
  if (!cipher.create || !cipher.destroy || !cipher.aes_128_cbc || !cipher.init || !cipher.set_padding ||
      !cipher.update)
    return 0;
  void *context = cipher.create();
  if (!context) return 0;
  int written = 0;
  int is_right = cipher.init(context, cipher.aes_128_cbc(), NULL, key, vector) == 1 &&
                 cipher.set_padding(context, 0) == 1 &&
                 cipher.update(context, plain, &written, bytes, count) == 1 && written == count;
  cipher.destroy(context);
  return is_right;
}
