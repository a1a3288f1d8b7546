import Foundation
import QRCode
import TestSupport
import Testing

/// Proof from elsewhere: zbarimg (Debian package zbar-tools) reads our images, and we read those of the Python package
/// segno. `tools/test` installs both.
@Suite("QR codes of other programs", .blocks, .timeLimit(.minutes(20)))
struct ForeignCodeTests {
  static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: [
    "1", "https://localhost:8443/login?dispatchTokenResponse=eyJubWFfZGF0YSI6e319", "Überweisung 12,50 €",
    String(repeating: "a1", count: 700),
  ])
  func `zbarimg reads our image`(_ text: String) throws {
    let path = scratch.path("code.png")
    try Data(QRCode.png(of: text)).write(to: URL(filePath: path))
    let zbarimg = try ProgramRun("zbarimg", ["--quiet", "--raw", "--oneshot", path])
    #expect(try zbarimg.finish() == .exited(0), "\(zbarimg.errors)")
    #expect(zbarimg.output.hasPrefix(text) && zbarimg.output.count <= text.count + 1)
  }

  /// Other scales, colours, borders and kinds of PNG than ours.
  @Test(arguments: [
    ["--scale", "1"], ["--scale", "3", "--border", "0"], ["--scale", "10", "--error", "H"],
    ["--scale", "4", "--dark", "darkblue", "--light", "#eee"], ["--scale", "4", "--light", "transparent"],
    ["--scale", "4", "--dark", "#00000080", "--light", "white"],
  ])
  func `an image of segno is read`(_ options: [String]) throws {
    let text = "{\"token\":\"5f0c\",\"name\":\"Zoë\"}"
    #expect(try QRCode.text(inPNG: segno(options, text)) == text)
  }

  @Test func `a Micro QR code is no QR code`() throws {
    let image = try segno(["--micro", "--scale", "5"], "12345")
    #expect(throws: QRCodeError.noCode) { try QRCode.text(inPNG: image) }
  }

  private func segno(_ options: [String], _ text: String) throws -> [UInt8] {
    let path = scratch.path("segno.png")
    let segno = try ProgramRun("\(Self.root)/.build/oracles/bin/segno", options + ["--output", path, text])
    #expect(try segno.finish() == .exited(0), "\(segno.errors)")
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }
}
