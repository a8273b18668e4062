import FeedMount
import Settings
import SystemPackage

extension MountOptions {
  /// How the network is to be used, as the configuration file says it.
  mutating func take(_ settings: Settings) {
    allowedPrivate = settings.allowedPrivate
    proxy = settings.proxy
    authorities = settings.authorities.map { FilePath($0) }
    pins = settings.pins
  }
}
