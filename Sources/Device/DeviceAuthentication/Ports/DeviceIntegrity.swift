/// The port to the checks whether this process is observed or was tampered with.
///
/// The checks find what a program without privileges leaves behind. A process of root can defeat all of them.
public protocol DeviceIntegrity: Sendable {
  /// Runs every check. May block for up to 100 ms.
  ///
  /// - Returns: The findings, in the order of the checks; empty when no check found anything. A check that cannot run is
  ///   a finding.
  func findings() -> [IntegrityFinding]
}

/// A sign of tampering.
public enum IntegrityFinding: Hashable, Sendable {
  /// A process, such as a debugger, traces this one.
  case tracer(process: Int32)
  /// The process was started with a preloaded library.
  case preload(library: String)
  /// The environment with which the process was started was overwritten.
  case changedEnvironment
  /// Another user than root can write the folder of the program.
  case writableProgram(folder: String)
  /// Memory is executable that belongs neither to the program nor to one of its libraries.
  case foreignMapping(String)
  /// A check could not run, for this reason.
  case unchecked(String)
}

extension IntegrityFinding: CustomStringConvertible {
  /// A clause that says what to do.
  public var description: String {
    switch self {
    case .tracer(let process): "process \(process) traces this program; end it"
    case .preload(let library):
      "the library \(library) was preloaded; start the program without LD_PRELOAD and LD_AUDIT"
    case .changedEnvironment: "the environment of this program was overwritten, as a preloaded library does; restart it"
    case .writableProgram(let folder):
      "the program is in \(folder), which another user than root can write; install it where only root can write"
    case .foreignMapping(let mapping): "foreign memory is executable (\(mapping)); restart the program"
    case .unchecked(let reason): "a check of this program's integrity failed: \(reason)"
    }
  }
}
