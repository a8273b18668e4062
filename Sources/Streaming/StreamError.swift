/// Why a read of missing bytes ends without them.
package enum StreamError: Error, Hashable, Sendable {
  /// The origin now serves another version: this one can only be read where it is cached.
  case changed
  /// The origin did not give the bytes in time, or not in spite of several tries.
  case unreachable
  /// The disk did not give the bytes in time.
  case diskHangs
  /// The user wants nothing to be fetched.
  case offline
  /// The reader went away.
  case interrupted
  /// The bytes are not fetched for a scanner.
  case withheld
  /// Too many reads wait already.
  case crowded
  /// The mount is being taken down.
  case ended
}
