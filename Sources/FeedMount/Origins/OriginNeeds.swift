import Addresses
import HTTP
import Resolving
import StreamFiles
import World

/// The parts that all origins of a feed share.
struct OriginNeeds: Sendable {
  let client: any RangeClient
  /// The address of the feed as the user typed it.
  var feed: TypedAddress?
  /// Finds the media of entries that have only a web page; nil if pages are not resolved.
  var resolver: Resolver?
  /// The failures of files and addresses, which are remembered longer than a version.
  let failures: Failures
  /// The origins that are asked for small pieces only.
  var cautions = Cautions()
  /// Makes the origins of streams; nil if the user wants no files made of streams.
  var films: StreamMaker?
  let tasks: Tasks
}
