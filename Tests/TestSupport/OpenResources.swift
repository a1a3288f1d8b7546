import Foundation

/// The descriptors and child processes of this process, for tests that run in a process of their own.
public struct OpenResources: Equatable, Sendable, CustomStringConvertible {
  /// The number of open descriptors.
  public let descriptors: Int
  /// The process numbers of the children that were not waited for.
  public let children: [String]

  /// Both in words.
  public var description: String { "\(descriptors) descriptors, children \(children)" }

  private static func present() -> OpenResources {
    func names(_ path: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
    let children = names("/proc/self/task").flatMap { thread in
      ((try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)) ?? "").split(separator: " ")
    }
    return OpenResources(descriptors: names("/proc/self/fd").count, children: children.map(String.init))
  }

  /// The resources after they have not changed for a second, since threads release theirs with a delay.
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
