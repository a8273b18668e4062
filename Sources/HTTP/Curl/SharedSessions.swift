import CCurl

/// The owner of the TLS sessions that all handles of a client share.
///
/// By default libcurl gives each easy handle sessions of its own, and feedfs has one handle for
/// each request. Belongs to the client's thread, so libcurl needs no lock. The sessions are
/// secrets. They are only in memory.
final class SharedSessions {
  let pointer: UnsafeMutableRawPointer

  init() throws(HTTPError) {
    guard let pointer = ccurl_share_init(),
      ccurl_share(pointer, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK
    else { throw .unavailable(reason: "no memory") }
    self.pointer = pointer
  }

  deinit { _ = ccurl_share_cleanup(pointer) }
}
