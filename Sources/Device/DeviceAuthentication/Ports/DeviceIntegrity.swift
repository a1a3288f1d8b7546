/// The port to the checks whether this process is observed or was tampered with.
///
/// The checks find what a program without privileges leaves behind. A process of root can defeat all of them.
public protocol DeviceIntegrity: Sendable {
  /// Runs every check. May block for up to 100 ms.
  ///
  /// - Returns: The findings, in the order of the checks; empty when no check found anything. A check that cannot run is
  ///   a finding.
  func findings() -> [IntegrityFinding]
  /// Receives the beginning and the end of a tap, during which no check may take time from the card.
  func tapChanged(isRunning: Bool)
}

extension DeviceIntegrity {
  /// Does nothing, for checks that run only when they are asked for.
  public func tapChanged(isRunning: Bool) {}
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
  /// Users other than its owner can write a file with code of this process, or replace it.
  case writableFile(String)
  /// Memory is executable that belongs neither to the program nor to one of its libraries.
  case foreignMapping(String)
  /// A library was loaded at the start that neither the program nor one of its libraries names.
  case foreignLibrary(String)
  /// A function that is imported from a library was replaced; its name and the file that imports it.
  case replacedFunction(String)
  /// The code in memory or in the file differs from the code that was built, at this place.
  case changedCode(String)
  /// A thread has the name of a tool that instruments programs.
  case instrumentation(thread: String)
  /// The program runs where it was configured not to run; a clause without a subject.
  case refusedSurrounding(String)
  /// A check of this name does not find what it must find: it was switched off.
  case disabledCheck(String)
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
    case .writableFile(let file):
      "users other than its owner can write \(file) or a folder above it: chmod go-w, or install it"
    case .foreignMapping(let mapping): "foreign memory is executable (\(mapping)); restart the program"
    case .foreignLibrary(let library):
      "the library \(library) was loaded although this program does not need it; look into /etc/ld.so.preload"
    case .replacedFunction(let function): "\(function) was replaced in memory; restart the program"
    case .changedCode(let place): "the code of \(place) was changed; install the program again"
    case .instrumentation(let thread):
      "the thread \(thread) of an instrumentation tool runs in this program; restart it"
    case .refusedSurrounding(let clause):
      "the program \(clause), which --refuse, the settings or the configuration refuse"
    case .disabledCheck(let name): "the check of \(name) finds nothing any more; install the program again"
    case .unchecked(let reason): "a check of this program's integrity failed: \(reason)"
    }
  }
}
