/// The Cues element of a WebM file: positions and times of clusters.
package struct WebMCues: Equatable, Sendable {
  package struct Point: Equatable, Sendable {
    /// The earliest time that a cue has for the cluster, in milliseconds.
    package let time: Int
    /// The position of the cluster, counted from the beginning of the Segment's content.
    package let position: Int
  }

  /// The points in the order of their positions, one for each cluster.
  package let points: [Point]

  package init(_ element: Element) throws(StreamError) {
    try StreamLimit.index.check(element.body.count)
    var times: [Int: Int] = [:]
    for point in try element.children where point.id == ElementID.cuePoint {
      let parts = try point.children
      guard let time = try parts.first(where: { $0.id == ElementID.cueTime })?.number else {
        throw .malformed("CuePoint")
      }
      for part in parts where part.id == ElementID.cueTrackPositions {
        guard let position = try part.first(ElementID.cueClusterPosition)?.number else {
          throw .malformed("CuePoint")
        }
        times[position] = min(times[position] ?? .max, time)
        try StreamLimit.segments.check(times.count)
      }
    }
    points = times.sorted { $0.key < $1.key }.map { Point(time: $0.value, position: $0.key) }
  }
}
