import CFuse
import Glibc
import NIOConcurrencyHelpers

/// Tells the kernel what has changed, from a thread of its own and with no lock held: a notice from a
/// thread that serves a request, or under a lock that one may want, is a deadlock (FACTS §2).
///
/// `@unchecked Sendable`: the session pointer is set once and outlives the thread; the rest is behind
/// the lock.
final class NoticeQueue: @unchecked Sendable {
  enum Notice: Hashable, Sendable {
    case attributes(Inode)
    case name(String, in: Inode)
  }

  private struct State {
    var notices: [Notice] = []
    var hasEnded = false
  }

  private let session: OpaquePointer
  private let state = ConditionLock(value: false)  // whether there is something to do
  private var waiting = State()

  init(_ session: OpaquePointer) {
    self.session = session
    var thread = pthread_t()
    let pointer = Unmanaged.passRetained(self).toOpaque()
    let status = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<NoticeQueue>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, pointer)
    precondition(status == 0, "a thread can be made")
    pthread_detach(thread)
  }

  func add(_ notice: Notice) {
    state.lock()
    if !waiting.notices.contains(notice) { waiting.notices.append(notice) }
    state.unlock(withValue: true)
  }

  /// No notice is sent any more.
  func end() {
    state.lock()
    waiting = State(notices: [], hasEnded: true)
    state.unlock(withValue: true)
  }

  private func run() {
    while let notices = next() {
      for notice in notices { send(notice) }
    }
  }

  private func next() -> [Notice]? {
    state.lock(whenValue: true)
    defer { state.unlock(withValue: false) }
    guard !waiting.hasEnded else { return nil }
    defer { waiting.notices = [] }
    return waiting.notices
  }

  private func send(_ notice: Notice) {
    switch notice {
    case .attributes(let inode):
      _ = fuse_lowlevel_notify_inval_inode(session, inode.number, -1, 0)
    case .name(let name, let directory):
      _ = fuse_lowlevel_notify_inval_entry(session, directory.number, name, name.utf8.count)
    }
  }
}
