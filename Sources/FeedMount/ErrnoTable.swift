import Streaming
import SystemPackage

/// What a reader is told.
extension StreamError {
  var errno: Errno {
    switch self {
    case .changed: .staleNFSFileHandle
    case .unreachable, .diskHangs, .withheld, .crowded, .ended: .ioError
    case .offline: .networkDown
    case .interrupted: .interrupted
    }
  }
}
