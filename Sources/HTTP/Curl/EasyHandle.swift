import CCurl
import Glibc

/// The owner of one libcurl easy handle and of its header lines.
///
/// Used by one thread at a time.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private var headerLines: UnsafeMutablePointer<curl_slist>?
  private var aliases: UnsafeMutablePointer<curl_slist>?
  /// The TLS sessions that libcurl uses. libcurl does not retain this object, so the handle does.
  private var sessions: SharedSessions?
  /// True if libcurl does not read the system's folder of CA certificates.
  private(set) var leavesOutFolder = false

  init() throws(HTTPError) {
    guard let pointer = ccurl_easy_init() else { throw .unavailable(reason: "no memory") }
    self.pointer = pointer
  }

  deinit {
    ccurl_easy_cleanup(pointer)
    ccurl_slist_free_all(headerLines)
    ccurl_slist_free_all(aliases)
  }

  /// Resets the options that only some requests set, so that another request can be sent. libcurl
  /// keeps the state of a challenge, user name and password.
  func forgetRequest() throws(HTTPError) {
    for list in [CURLOPT_HTTPHEADER, CURLOPT_HTTP200ALIASES] {
      try check(ccurl_set_list(pointer, list, nil))
    }
    ccurl_slist_free_all(headerLines)
    ccurl_slist_free_all(aliases)
    (headerLines, aliases) = (nil, nil)
    // libcurl keeps a list of cookie files. Without this, the list would grow with each request.
    for text in [CURLOPT_ACCEPT_ENCODING, CURLOPT_COOKIE, CURLOPT_COOKIEFILE] { try clear(text) }
    try set(CURLOPT_COOKIELIST, "ALL")
  }

  func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
    try check(ccurl_set_long(pointer, option, value))
  }

  /// Sets a string option. libcurl keeps a copy of `value`.
  func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
    try check(ccurl_set_string(pointer, option, value))
  }

  /// Sets a string option to NULL, instead of libcurl's own default.
  func clear(_ option: CURLoption) throws(HTTPError) {
    try check(ccurl_set_string(pointer, option, nil))
  }

  func set(_ option: CURLoption, _ context: UnsafeMutableRawPointer) throws(HTTPError) {
    try check(ccurl_set_pointer(pointer, option, context))
  }

  /// Makes the handle use the TLS sessions in `sessions`, and add new sessions to them.
  func share(_ sessions: SharedSessions) throws(HTTPError) {
    try check(ccurl_set_share(pointer, sessions.pointer))
    self.sessions = sessions
  }

  /// Makes libcurl keep the CA certificates in memory for `time`. libcurl would otherwise read them
  /// for each connection, which takes 20 to 30 ms of processor time.
  ///
  /// libcurl can keep only certificates from a file. Some builds also read a folder, mostly with
  /// the same certificates (ca-certificates(8)). If the file is readable, the folder is left out.
  ///
  /// - Parameter hasFolder: false if there is no folder to leave out.
  func keepAuthorities(for time: Duration, hasFolder: Bool) throws(HTTPError) {
    _ = ccurl_keep_authorities(pointer, Int(time.components.seconds))
    var file: UnsafePointer<CChar>?
    guard ccurl_get_string(pointer, CURLINFO_CAINFO, &file) == CURLE_OK, let file,
      access(file, R_OK) == 0
    else { return }
    for folder in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { try clear(folder) }
    leavesOutFolder = hasFolder
  }

  /// Whether this libcurl can speak HTTP/3, and falls back to an older version by itself.
  static let hasHTTP3 = ccurl_has_http3() != 0

  /// Sets a callback. `function` gets the context that the matching data option has set.
  func set(_ option: CURLoption, _ function: @escaping ccurl_data_function) throws(HTTPError) {
    try check(ccurl_set_data_function(pointer, option, function))
  }

  func setOpenSocket(
    _ function: @escaping curl_opensocket_callback, _ context: UnsafeMutableRawPointer
  ) throws(HTTPError) {
    try check(ccurl_set_open_socket(pointer, function))
    try set(CURLOPT_OPENSOCKETDATA, context)
  }

  /// Sets the close callback. `sockets` must outlive every connection of the multi handle.
  func setCloseSocket(
    _ function: @escaping curl_closesocket_callback, _ sockets: UnsafeMutableRawPointer
  ) throws(HTTPError) {
    try check(ccurl_set_close_socket(pointer, function))
    try set(CURLOPT_CLOSESOCKETDATA, sockets)
  }

  func setBeforeRequest(
    _ function: @escaping curl_prereq_callback, _ context: UnsafeMutableRawPointer
  ) throws(HTTPError) {
    try check(ccurl_set_before_request(pointer, function))
    try set(CURLOPT_PREREQDATA, context)
  }

  /// Whether the answer came over HTTP/2 or later, where several transfers share a connection.
  /// Valid once the head of the answer has come.
  var isShared: Bool {
    var version = 0
    return ccurl_get_long(pointer, CURLINFO_HTTP_VERSION, &version) == CURLE_OK
      && version >= CURL_HTTP_VERSION_2_0
  }

  /// Makes libcurl send and take cookies, and gives it `cookies`. libcurl reads and writes no
  /// cookie file.
  func give(_ cookies: [Cookie]) throws(HTTPError) {
    try set(CURLOPT_COOKIEFILE, "")
    for cookie in cookies { try set(CURLOPT_COOKIELIST, cookie.line) }
  }

  /// The cookies that libcurl has now.
  var cookies: [Cookie] {
    var first: UnsafeMutablePointer<curl_slist>?
    guard ccurl_get_cookies(pointer, &first) == CURLE_OK else { return [] }
    defer { ccurl_slist_free_all(first) }
    return sequence(first: first, next: { $0?.pointee.next }).compactMap { item in
      item?.pointee.data.flatMap { Cookie(line: String(cString: $0)) }
    }
  }

  /// Whether this libcurl knows which domains are public suffixes.
  static let knowsSuffixes = ccurl_has_suffixes() != 0

  func setHeaderLines(_ lines: [String]) throws(HTTPError) {
    for line in lines {
      guard let longer = ccurl_slist_append(headerLines, line) else {
        throw .unavailable(reason: "no memory")
      }
      headerLines = longer
    }
    try check(ccurl_set_list(pointer, CURLOPT_HTTPHEADER, headerLines))
  }

  /// Makes libcurl treat an answer that begins with `line` as an answer with status 200.
  func takeAsOK(_ line: String) throws(HTTPError) {
    guard let longer = ccurl_slist_append(aliases, line) else {
      throw .unavailable(reason: "no memory")
    }
    aliases = longer
    try check(ccurl_set_list(pointer, CURLOPT_HTTP200ALIASES, aliases))
  }

  /// Continues a paused transfer. libcurl then passes the piece again that was not taken before the
  /// pause.
  func goOn() {
    _ = ccurl_easy_pause(pointer, CURLPAUSE_CONT)
  }

  /// Lets the server send at most `bytes` bytes before the client has read them (tcp(7),
  /// TCP_WINDOW_CLAMP).
  func narrow(to bytes: Int) {
    var socket = ccurl_no_socket
    guard ccurl_get_socket(pointer, &socket) == CURLE_OK, socket != ccurl_no_socket else { return }
    var window = Int32(clamping: bytes)
    _ = setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_WINDOW_CLAMP, &window,
      socklen_t(MemoryLayout.size(ofValue: window)))
  }

  /// The system's error number (errno) of the last failed connect, or 0.
  var systemError: Int {
    var value = 0
    return ccurl_get_long(pointer, CURLINFO_OS_ERRNO, &value) == CURLE_OK ? value : 0
  }

  /// The status of a proxy's last answer to CONNECT, or 0.
  var tunnelStatus: Int {
    var value = 0
    return ccurl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &value) == CURLE_OK ? value : 0
  }

  /// The number of new connections that were made for the last request of the handle.
  var connectionsMade: Int {
    var value = 0
    return ccurl_get_long(pointer, CURLINFO_NUM_CONNECTS, &value) == CURLE_OK ? value : 0
  }

  private func check(_ code: CURLcode) throws(HTTPError) {
    guard code == CURLE_OK else {
      throw .unavailable(reason: String(cString: ccurl_easy_strerror(code)))
    }
  }
}
