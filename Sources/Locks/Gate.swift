#if THREAD_SANITIZER
  import Glibc
#else
  public import Synchronization
#endif

/// Lets one thread at a time pass.
///
/// A `Mutex` costs a fraction of a `pthread_mutex_t`. But the thread sanitizer does not see it, and
/// reports races that are none. So a build for the sanitizer has the other one.
///
/// The lock is taken and given by hand, because `Mutex.withLock` returns only values that may be
/// sent to another thread, and the bodies here return others, too.
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
