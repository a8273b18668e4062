#if THREAD_SANITIZER
  import Glibc
#else
  public import Synchronization
#endif

/// The lock inside `Lock` and `Locked`: one thread at a time gets past `lock`.
///
/// A `Mutex` takes a fraction of the time of a `pthread_mutex_t`. But the thread sanitizer does not
/// see a `Mutex`, and reports races that are none. So a build for the sanitizer uses
/// `pthread_mutex_t`.
///
/// The code calls `lock` and `unlock` instead of `Mutex.withLock`, which returns only values that
/// can be sent to another thread. The bodies of `Lock` and `Locked` also return other values.
@usableFromInline struct Gate: ~Copyable, @unchecked Sendable {
  #if THREAD_SANITIZER
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    @usableFromInline init() {
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
  #else
    @usableFromInline let mutex = Mutex<Void>(())

    @inlinable init() {}

    @inlinable func lock() { mutex._unsafeLock() }

    @inlinable func unlock() { mutex._unsafeUnlock() }
  #endif
}
