import CCurl

/// The owner of libcurl's multi handle, which has the pooled connections, the resolved names and
/// the running transfers.
///
/// `@unchecked Sendable`: only the client's thread calls the methods. Only `wake` can be called
/// from other threads, as libcurl allows.
final class MultiHandle: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer
  /// The object that closes libcurl's sockets. libcurl closes the last sockets in `deinit`, so this
  /// object must live until then.
  let sockets = Sockets()
  let sessions: SharedSessions
  let challenged = ChallengedHandles()

  /// - Parameter maxConnections: the limit of open connections, idle ones included.
  init(maxConnections: Int) throws(HTTPError) {
    if let trouble = Self.trouble { throw .unavailable(reason: trouble) }
    guard let pointer = ccurl_multi_init() else { throw .unavailable(reason: Self.refusal) }
    self.pointer = pointer
    sessions = try SharedSessions()
    let kept = min(maxConnections, Self.maxIdleConnections)
    _ = ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, kept)
    _ = ccurl_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, maxConnections)
  }

  deinit { ccurl_multi_cleanup(pointer) }

  /// Adds a transfer.
  ///
  /// - Parameter streams: the limit of transfers on one connection; nil: libcurl's own default.
  ///   libcurl uses the first connection with fewer transfers than that, or opens another.
  func add(_ easy: EasyHandle, streams: Int?) throws(HTTPError) {
    _ = ccurl_multi_set_long(
      pointer, CURLMOPT_MAX_CONCURRENT_STREAMS, streams ?? Self.usualStreams)
    let code = ccurl_multi_add_handle(pointer, easy.pointer)
    guard code == CURLM_OK else {
      throw .unavailable(reason: String(cString: ccurl_multi_strerror(code)))
    }
    // libcurl chooses the connection in this call, before the next transfer sets another limit.
    if streams != nil { perform() }
  }

  func remove(_ easy: EasyHandle) {
    _ = ccurl_multi_remove_handle(pointer, easy.pointer)
  }

  /// Lets libcurl advance every transfer as far as possible without waiting. The callbacks run
  /// inside this call.
  func perform() {
    var running: Int32 = 0
    _ = ccurl_multi_perform(pointer, &running)
  }

  /// Returns the transfers that ended since the last call, by the pointers of their handles.
  func finished() -> [(easy: UnsafeMutableRawPointer, code: CURLcode)] {
    var finished: [(UnsafeMutableRawPointer, CURLcode)] = []
    var left: Int32 = 0
    while let message = ccurl_multi_info_read(pointer, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
        continue
      }
      finished.append((easy, message.pointee.data.result))
    }
    return finished
  }

  /// Waits until a socket is ready, `wake` is called, or `timeout` is over.
  func poll(_ timeout: Duration) {
    _ = ccurl_multi_poll(pointer, Int32(max(0, min(timeout.milliseconds, 60_000))))
  }

  /// Ends the current `poll`, or the next one if none runs.
  func wake() {
    _ = ccurl_multi_wakeup(pointer)
  }

  /// Loads libcurl and the libraries behind it. Later calls return at once.
  static func prepare() {
    _ = trouble
  }

  private static let maxIdleConnections = 64
  /// libcurl's own default for the limit of transfers on one connection.
  private static let usualStreams = 100
  private static let refusal = "its initialisation failed"
  /// The reason why libcurl cannot be used; nil once it is loaded.
  private static let trouble: String? = {
    if let reason = ccurl_load() { return String(cString: reason) }
    return ccurl_global_init(ccurl_global_all) == CURLE_OK ? nil : refusal
  }()
}
