import Host
import SystemPackage
import Testing

@testable import CommandTools

/// The folders of the program, for each kind of user that starts it.
struct DirectoriesTests {
  private func directories(_ environment: [String: String], home: String?) -> Directories {
    Directories(environment: environment) { home }
  }

  @Test(
    arguments: [
      // The user's own environment first, then systemd.exec(5), then the home, then passwd(5).
      (["XDG_CACHE_HOME": "/x", "CACHE_DIRECTORY": "/c", "HOME": "/home/u"], "/x/feedfs"),
      (["XDG_CACHE_HOME": "x", "HOME": "/home/u"], "/home/u/.cache/feedfs"),
      (["CACHE_DIRECTORY": "/var/cache/feedfs:/b", "HOME": "/home/u"], "/var/cache/feedfs"),
      (["CACHE_DIRECTORY": "relative"], "/registered/.cache/feedfs"),
      (["HOME": "/home/u/"], "/home/u/.cache/feedfs"),
      ([:], "/registered/.cache/feedfs"), (["HOME": ""], "/registered/.cache/feedfs"),
      (["HOME": "/"], "/registered/.cache/feedfs"), (["HOME": "//"], "/registered/.cache/feedfs"),
      (["HOME": "u"], "/registered/.cache/feedfs"),
    ] as [([String: String], String)])
  func theCacheIsAtTheFirstPlaceThatIsNamed(environment: [String: String], place: String) throws {
    let directories = directories(environment, home: "/registered")
    #expect(try directories.cache.string == place)
  }

  @Test func stateAndConfigurationAreFoundAsTheCacheIs() throws {
    let service = directories(
      ["STATE_DIRECTORY": "/var/lib/feedfs", "CONFIGURATION_DIRECTORY": "/etc/feedfs"], home: nil)
    #expect(try service.state == "/var/lib/feedfs" && service.configuration == "/etc/feedfs")
    let bare = directories([:], home: "/root")
    #expect(try bare.state == "/root/.local/state/feedfs")
    #expect(try bare.configuration == "/root/.config/feedfs")
  }

  @Test(arguments: [nil, "", "/", "nowhere"])
  func withoutAnyHomeNothingIsPutAtTheRootOfTheFileSystem(registered: String?) throws {
    let error = try #require(throws: CommandError.self) {
      try directories(["HOME": "/"], home: registered).state
    }
    #expect(error.code == .configuration && error.description.contains("XDG_STATE_HOME"))
  }
}
