import Glibc

/// One accepted TCP connection.
///
/// Any thread may `wake` or `finish` it; the rest belongs to the connection's own thread. The
/// descriptor is closed with the last reference, so no call can reach a reused number.
final class Socket: Sendable {
  /// Connections count from 1 in the order of acceptance.
  let number: Int
  private let descriptor: Int32
  private let alarm: (read: Int32, write: Int32)

  /// POLLRDHUP of Linux, which the overlay lacks: the client has ended its side.
  private static let peerShutDown: Int16 = 0x2000

  enum Waking {
    case elapsed
    case released
    case hungUp
  }

  /// Takes ownership of `descriptor`; nil if the process has no more descriptors.
  init?(descriptor: Int32, number: Int) {
    self.descriptor = descriptor
    self.number = number
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else {
      close(descriptor)
      return nil
    }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    alarm = (ends[0], ends[1])
    var on: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit {
    close(descriptor)
    close(alarm.read)
    close(alarm.write)
  }

  /// Waits for the first byte and fills `buffer` from its start; returns the number of bytes, 0 or
  /// less when the client hung up.
  func receive(into buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { bytes in
      uninterrupted { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
    }
  }

  /// Sends all bytes; false when the client hung up.
  func send(_ bytes: [UInt8], followed: Bool = false) -> Bool {
    send(bytes[...], followed: followed)
  }

  /// - Parameter followed: true if more bytes follow at once, which lets a head travel with its
  ///   body.
  func send(_ bytes: ArraySlice<UInt8>, followed: Bool = false) -> Bool {
    let flags = Int32(MSG_NOSIGNAL) | (followed ? Int32(MSG_MORE) : 0)
    return bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        let count = uninterrupted { Glibc.send(descriptor, rest.baseAddress, rest.count, flags) }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Sends part of a file from `offset` on; returns the number of bytes, 0 or less when the client
  /// hung up.
  func sendFile(_ file: Int32, from offset: Int, count: Int) -> Int {
    var position = off_t(offset)
    return uninterrupted { sendfile(descriptor, file, &position, count) }
  }

  /// Bytes that the client's kernel has not acknowledged.
  var unacknowledged: Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? max(0, Int(count)) : 0
  }

  /// Waits until the client has taken everything or sends more; false if it hung up before that.
  ///
  /// The kernel does not signal the acknowledgement of the last byte: this polls every 20 ms.
  func settle() -> Bool {
    while unacknowledged > 0 {
      let events = Int16(POLLIN) | Self.peerShutDown
      var polled = pollfd(fd: descriptor, events: events, revents: 0)
      guard poll(&polled, 1, 20) > 0 else { continue }
      return polled.revents == Int16(POLLIN) || unacknowledged == 0
    }
    return true
  }

  /// Makes the following close send a RST, once the sent bytes have arrived (waits 1 s at most).
  func prepareReset() {
    let limit = ContinuousClock.now + .seconds(1)
    while unacknowledged > 0, ContinuousClock.now < limit { rest(for: .milliseconds(1)) }
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// Ends the sending side: the client reads an end of file.
  func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends both directions; to the connection's thread the client hung up.
  func finish() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Makes a waiting `pause` check again whether it was released.
  func wake() {
    var byte: UInt8 = 1
    _ = write(alarm.write, &byte, 1)
  }

  /// Waits until `deadline` (nil: for ever), until `isReleased` is true (checked first and after
  /// each `wake`), or until the client is gone.
  func pause(until deadline: ContinuousClock.Instant?, isReleased: () -> Bool) -> Waking {
    while true {
      if isReleased() { return .released }
      let left = deadline.map { $0 - .now }
      if let left, left < .milliseconds(1) {
        rest(for: left)
        return .elapsed
      }
      var polled = [
        pollfd(fd: alarm.read, events: Int16(POLLIN), revents: 0),
        // A client may end its side after the request and still read the response.
        pollfd(fd: descriptor, events: deadline == nil ? Self.peerShutDown : 0, revents: 0),
      ]
      _ = poll(&polled, 2, left.map { Int32(min($0 / .milliseconds(1), 1e9)) } ?? -1)
      if polled[1].revents != 0 { return .hungUp }
      if polled[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(alarm.read, &bytes, bytes.count)
      }
    }
  }
}

/// Sleeps: the network model consists of delays.
func rest(for duration: Duration) {
  guard duration > .zero else { return }
  let (seconds, attoseconds) = duration.components
  var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  var left = timespec()
  while nanosleep(&time, &left) != 0, errno == EINTR { time = left }
}

private func uninterrupted(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
