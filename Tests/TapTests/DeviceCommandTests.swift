import Foundation
import TestSupport
import Testing

@Suite("tap device simulate", .blocks, .timeLimit(.minutes(20)))
struct DeviceCommandTests {
  let scratch: Scratch
  let file: String

  init() throws {
    scratch = try Scratch()
    file = scratch.path("phone")
  }

  private func simulate(_ arguments: String...) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["device", "simulate", "--device", file, "--format", "json"] + arguments))
  }

  @Test func `a device is created, changed and shown by processes of their own`() throws {
    #expect(try simulate().json()["isPasscodeSet"] as? Bool == false)
    let set = try simulate("--passcode", "on", "--biometric", "enrol").json()
    #expect(set["isPasscodeSet"] as? Bool == true && set["enrolments"] as? Int == 1)
    #expect(try simulate("--biometric", "enrol").json()["enrolments"] as? Int == 2)
    #expect(try simulate("--passcode", "change").json()["lockEpoch"] as? Int == 0)
    #expect(try simulate("--biometric", "remove-all").json()["enrolments"] as? Int == 0)
    #expect(try simulate("--passcode", "off").json()["lockEpoch"] as? Int == 1)
    #expect(try simulate("--advance", "60").json()["passcodeLocked_ns"] as? Int == 0)
    let text = try TapProgram.run("device", "simulate", "--device", file)
    #expect(text.output == "\(file): passcode off, fingers 0, keys 0\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a change that the device does not offer ends with 1, names the file and changes nothing`() throws {
    _ = try simulate()
    let before = try Data(contentsOf: URL(filePath: file))
    for arguments in [
      ["--passcode", "change"], ["--biometric", "enrol"], ["--passcode", "off", "--biometric", "enrol"],
    ] {
      let run = try TapProgram.finish(TapProgram.start(["device", "simulate", "--device", file] + arguments))
      #expect(run.code == 1 && run.output.isEmpty)
      #expect(run.errors == "error: \(file): the device has no passcode; set one first\n")
      #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }
  }

  @Test func `a damaged file ends with 1 and stays as it is`() throws {
    for content in ["", "garbage", #"{"version": 2}"#, #"{"version": 1}"#] {
      try Data(content.utf8).write(to: URL(filePath: file))
      let run = try simulate("--passcode", "on")
      #expect(run.code == 1 && run.errors.contains(file), "\(content)")
      #expect(try Data(contentsOf: URL(filePath: file)) == Data(content.utf8))
    }
  }

  @Test(arguments: [
    ["--advance=-1"], ["--advance", "1000000001"], ["--passcode", "maybe"], ["--biometric", "remove"],
    ["--device", ""],
  ])
  func `wrong usage ends with 64`(_ arguments: [String]) throws {
    let run = try TapProgram.finish(TapProgram.start(["device", "simulate", "--device", file] + arguments))
    #expect(run.code == 64)
    #expect(!FileManager.default.fileExists(atPath: file))
  }
}
