import Fixtures
import Foundation
import TestSupport
import Testing

/// Recordings that were damaged or cut after their run: each leaves its tap without a judgement, and no other.
extension RecordedTestTests {
  /// Three scenarios with their recordings in a folder.
  private func recorded(isOfCard: Bool) throws -> (files: [String], folder: String, place: String) {
    let folder = scratch.path("recordings")
    let files = try (1...3).map { number in
      try isOfCard
        ? cardScenario("B-\(number)", "steps: [{send: SELECT PPSE}, {send: SELECT AID, expect: {status: \"9000\"}}]")
        : terminalScenario("B-\(number)")
    }
    let place = isOfCard ? "--reader" : "--link"
    let run = try test(files + [place, "loopback", "--record", folder])
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    return (files, folder, place)
  }

  /// Changes the lines of a file.
  private func edit(_ path: String, _ change: (inout [String]) -> Void) throws {
    var lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    change(&lines)
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func expectOneNotJudged(_ run: TapProgram.Run, _ reason: String) {
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    #expect(run.output.contains("ok   B-1") && run.output.contains("ok   B-3"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("NOT JUDGED B-2") && run.output.contains(reason), "\(run.output)")
    #expect(run.output.hasSuffix("1 not judged; 3 taps: 2 passed, 1 not judged\n"), "\(run.output)")
  }

  @Test(arguments: [true, false]) func `a damaged recording is not judged, and its line is named`(isOfCard: Bool) throws
  {
    let (files, folder, place) = try recorded(isOfCard: isOfCard)
    let path = "\(folder)/02-b-2-b-2-0001.txt"
    var line = 0
    try edit(path) { lines in
      line = (lines.firstIndex { $0.hasPrefix("00A4") } ?? 0) + 1
      lines[line - 1] = "zz"
    }
    let run = try test(files + [place, "replay:\(folder)"])
    expectOneNotJudged(run, "\(path): line \(line): neither a comment nor bytes in hexadecimal")
    let failing = try String(contentsOfFile: files[0], encoding: .utf8)
      .replacing("9000", with: "6A82").replacing("approved", with: "declined")
    try failing.write(toFile: files[0], atomically: true, encoding: .utf8)
    let failed = try test(files + [place, "replay:\(folder)"])
    #expect(failed.code == 2 && failed.output.contains("NOT JUDGED B-2"), "\(failed.output)\(failed.errors)")
  }

  @Test(arguments: [true, false]) func `a recording whose head is damaged is found by its name`(isOfCard: Bool) throws {
    let (files, folder, place) = try recorded(isOfCard: isOfCard)
    let path = "\(folder)/02-b-2-b-2-0001.txt"
    try Data([0x00, 0xFF, 0x00]).write(to: URL(filePath: path))
    expectOneNotJudged(
      try test(files + [place, "replay:\(folder)"]), "\(path): line 1: expected a recording, found binary data")
    try "00A40400\n9000\n".write(toFile: path, atomically: true, encoding: .utf8)
    expectOneNotJudged(try test(files + [place, "replay:\(folder)"]), "\(path) does not name its scenario and tap")
  }

  @Test(arguments: [true, false]) func `a recording that was cut is not judged`(isOfCard: Bool) throws {
    let (files, folder, place) = try recorded(isOfCard: isOfCard)
    let path = "\(folder)/02-b-2-b-2-0001.txt"
    try edit(path) { lines in
      lines.removeSubrange((lines.firstIndex { $0.hasPrefix("00A4") } ?? 0) + 1..<lines.count)
    }
    expectOneNotJudged(try test(files + [place, "replay:\(folder)"]), "\(path): the recording is incomplete: ")
  }

  @Test(arguments: [true, false]) func `two recordings of one tap leave it without a judgement`(isOfCard: Bool) throws {
    let (files, folder, place) = try recorded(isOfCard: isOfCard)
    try FileManager.default.copyItem(atPath: "\(folder)/02-b-2-b-2-0001.txt", toPath: "\(folder)/again.txt")
    let run = try test(files + [place, "replay:\(folder)"])
    expectOneNotJudged(run, "are both recordings of B-2, tap 1: delete one of them")
  }

  @Test func `a damaged recording of a payment is not judged, and the other taps are`() throws {
    let folder = scratch.path("recordings")
    let file = ScenarioTests.file("visa-low-value.yaml")
    #expect(try test([file, "--reader", "loopback", "--repeat", "3", "--record", folder]).code == 0)
    for number in [1, 2] {
      let path = "\(folder)/01-visa-low-value-000\(number).txt"
      let whole = try String(contentsOfFile: path, encoding: .utf8)
      var line = 0
      try edit(path) { lines in
        line = (lines.firstIndex { $0.hasPrefix("00A4") } ?? 0) + 1
        lines[line - 1] = "zz"
      }
      let run = try test([file, "--reader", "replay:\(folder)"])
      #expect(run.code == 2, "\(run.output)\(run.errors)")
      #expect(run.output.contains("NOT JUDGED Visa, low value, tap \(number) of 3"), "\(run.output)")
      #expect(run.output.contains("\(path): line \(line): "), "\(run.output)")
      #expect(run.output.hasSuffix("1 not judged; 3 taps: 2 passed, 1 not judged\n"), "\(run.output)")
      try whole.write(toFile: path, atomically: true, encoding: .utf8)
    }
  }

  @Test func `a recording of a payment that ends without a response is not judged, with the reason`() throws {
    let folder = scratch.path("recordings")
    let file = ScenarioTests.file("visa-low-value.yaml")
    #expect(try test([file, "--reader", "loopback", "--record", folder]).code == 0)
    try edit("\(folder)/01-visa-low-value-0001.txt") { lines in
      let command = lines.firstIndex { $0.hasPrefix("80A8") } ?? 0
      lines.replaceSubrange(command + 1..<lines.count, with: ["#@ torn: transmissionFailed", "#@ end: 3", ""])
      lines.removeAll { $0.hasPrefix("#@ outcome") }
      lines = lines.map { $0.hasPrefix("#@ exchanges") ? "#@ exchanges: 3" : $0 }
    }
    let run = try test([file, "--reader", "replay:\(folder)"])
    #expect(run.code == 2 && run.output.contains("NOT JUDGED Visa, low value"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("exchange 3: the recording ends here, without a response"), "\(run.output)")
  }

  @Test(arguments: [true, false]) func `a link to a folder of recordings is that folder`(isOfCard: Bool) throws {
    let (files, folder, place) = try recorded(isOfCard: isOfCard)
    let link = scratch.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
    let run = try test(files + [place, "replay:\(link)"])
    #expect(
      run.code == 0 && run.output.hasSuffix("3 passed, 0 failed, 0 errors; 3 taps\n"), "\(run.output)\(run.errors)")
    try FileManager.default.removeItem(atPath: folder)
    let missing = try test(files + [place, "replay:\(link)"])
    #expect(missing.code == 1 && missing.output.isEmpty, "\(missing.output)")
    #expect(missing.errors.hasPrefix("error: \(link) cannot be read: "), "\(missing.errors)")
    #expect(missing.errors.split(separator: "\n").count == 1, "\(missing.errors)")
  }
}
