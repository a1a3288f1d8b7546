import DeviceAuthentication
import Fixtures
import Foundation
import TestSupport

/// Runs `tap` on the wallet of one device. Each command is a process of its own.
protocol WalletPrograms: Sendable {
  /// The value of `--device`.
  var device: String { get }
  /// A folder in which the program may create files.
  var folder: String { get }
  /// The profile of a Visa card.
  var card: String { get }

  /// Runs `tap` to its end. Blocks.
  func tap(_ arguments: [String]) throws -> TapRun
}

/// A run of `tap` that has ended.
struct TapRun {
  /// The exit code; nil for a program that a signal ended.
  let code: Int32?
  let output: String
  let errors: String
  /// What the terminal of the program has shown.
  var terminal = ""

  init(_ run: ProgramRun) throws {
    let ending = try run.finish(timeout: .seconds(3600))
    code = if case .exited(let code) = ending { code } else { nil }
    (output, errors) = (run.output, run.errors)
  }

  /// The last line of the output as a JSON object; empty for any other.
  var json: [String: String] { object.mapValues { "\($0)" } }

  /// The code of the error in the last line; nil without an error.
  var errorCode: String? { (object["error"] as? [String: Any])?["code"] as? String }

  private var object: [String: Any] {
    guard let line = output.split(separator: "\n").last else { return [:] }
    return (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]) ?? [:]
  }
}

/// The programs of the user of a Linux machine, without privileges. `tap-device` is run by root.
struct UserPrograms: WalletPrograms {
  let linux: LinuxScenarioDevice
  var user = PrivateMachine.user

  var device: String { "linux:\(linux.program.socket)" }
  var folder: String { "/home/\(user)" }
  var card: String { PrivateMachine.shared(Fixtures.url("Cards/visa-cvn18.json").path) }

  func tap(_ arguments: [String]) throws -> TapRun {
    try run(PrivateMachine.shared(DeviceProgram.folder.appending(path: "tap").path), arguments)
  }

  /// Runs any program to its end. Blocks.
  func run(_ program: String, _ arguments: [String]) throws -> TapRun {
    let terminal = try PseudoTerminal()
    let person = linux.person.typist(at: terminal)
    let ended = Result { try TapRun(linux.program.machine.start(program, arguments, as: user, on: terminal)) }
    person.stop()
    var run = try ended.get()
    run.terminal = person.output
    return run
  }
}

/// The programs of this process's user, with a simulated device in a file.
struct SimulatedPrograms: WalletPrograms {
  let device: String
  let folder: String
  var card: String { Fixtures.url("Cards/visa-cvn18.json").path }

  func tap(_ arguments: [String]) throws -> TapRun {
    try TapRun(ProgramRun(DeviceProgram.folder.appending(path: "tap").path, arguments))
  }
}
