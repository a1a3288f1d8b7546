import Fixtures
import Foundation
import TestSupport
import Testing

/// Every command that writes, on a disk that cannot be written.
@Suite("Read-only disks", .blocks, .timeLimit(.minutes(20)))
struct ReadOnlyDiskTests {
  private static let visa = SendTests.visa
  private static let card = TapProgram.card("visa-cvn18")
  private static let scenario = ScenarioTests.file("visa-low-value.yaml")
  private static let recording = Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path

  /// Command lines, DISK for the disk.
  static let lines = [
    "accept --reader \(visa) --amount 1 --currency EUR --record DISK/x",
    "present --link loopback --card \(card) --record DISK/x", "send --reader \(visa) 00A4040000 --record DISK/x",
    "dump --reader \(visa) --record DISK/x", "dump --reader \(visa) --processing-options --profile DISK/x",
    "test \(scenario) --reader loopback -o DISK/x", "test \(scenario) --reader loopback --record DISK/x",
    "test \(scenario) --reader loopback --record DISK", "bench --taps 1 --save DISK/x",
    "convert \(recording) --to json -o DISK/x", "convert \(recording) --to json -o DISK/there --force",
    "redact \(recording) -o DISK/x", "card new --scheme visa -o DISK/x", "terminal new -o DISK/x",
    "wallet add --wallet DISK/wallet --card \(card)", "device simulate --device DISK/x --passcode on",
    "accept --reader \(visa) --amount 1 --currency EUR --record DISK/there --force",
  ]

  @Test func `a wallet on a read-only disk is listed and does not change`() throws {
    let disk = try MountedDisk(kilobytes: 256)
    let folder = disk.path + "/wallet"
    #expect(try TapProgram.run("wallet", "add", "--wallet", folder, "--card", Self.card, "--id", "first").code == 0)
    try disk.makeReadOnly()
    let list = try TapProgram.run("wallet", "list", "--wallet", folder)
    #expect(list.code == 0 && list.output.hasPrefix("first: "), "\(list.errors)")
    for command in ["keys", "status"] {
      let run = try TapProgram.run("wallet", command, "--wallet", folder)
      #expect(run.code == 0, "\(command): \(run.errors)")
    }
    for command in ["suspend", "delete"] {
      let run = try TapProgram.run("wallet", command, "--wallet", folder, "first")
      #expect(
        run.code == 1
          && run.errors.contains(
            command == "delete" ? "Read-only file system" : "\(folder)/wallet.sqlite cannot be opened for writing"),
        "\(run.errors)")
    }
  }

  @Test(arguments: lines)
  func `a file that cannot be written is named with the reason, and nothing is changed`(_ line: String) throws {
    let disk = try MountedDisk(kilobytes: 256)
    try Data("kept".utf8).write(to: URL(filePath: disk.path + "/there"))
    try disk.makeReadOnly()
    let arguments = line.split(separator: " ").map { $0.replacingOccurrences(of: "DISK", with: disk.path) }
    let run = try TapProgram.finish(TapProgram.start(arguments))
    #expect(run.code == 1, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("error: ") && run.errors.contains(disk.path), "\(run.errors)")
    #expect(
      run.errors.contains("Read-only file system") || run.errors.contains("cannot be written")
        || run.errors.contains("cannot be opened"), "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["there"])
    #expect(try String(contentsOfFile: disk.path + "/there", encoding: .utf8) == "kept")
  }
}
