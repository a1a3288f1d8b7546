import Foundation

/// What this process holds that its parts must give back; for tests that have a process of their own.
public struct OpenResources: Equatable, Sendable, CustomStringConvertible {
  /// How many descriptors are open.
  public let descriptors: Int
  /// The processes that were started and not waited for.
  public let children: [String]

  /// Both.
  public var description: String { "\(descriptors) descriptors, children \(children)" }

  private static func present() -> OpenResources {
    func names(_ path: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
    let children = names("/proc/self/task").flatMap { thread in
      ((try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)) ?? "").split(separator: " ")
    }
    return OpenResources(descriptors: names("/proc/self/fd").count, children: children.map(String.init))
  }

  /// What is held when nothing has changed for a second: threads may need a moment to let go.
  public static func atRest() async -> OpenResources {
    var (held, rounds) = (present(), 0)
    while rounds < 20 {
      try? await Task.sleep(for: .milliseconds(50))
      let now = present()
      rounds = now == held ? rounds + 1 : 0
      held = now
    }
    return held
  }
}
