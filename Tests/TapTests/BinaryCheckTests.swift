import Fixtures
import Foundation
import TestSupport
import Testing

/// `tools/check-binaries`, which judges the programs of a package, on small programs in C.
@Suite("tools/check-binaries", .blocks, .timeLimit(.minutes(10)))
struct BinaryCheckTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  private static let source = "int main(int count, char **words) { char text[64]; return sprintf(text, words[0]) < 0; }"
  private static let hardened = [
    "-fuse-ld=lld", "-fPIE", "-pie", "-fstack-protector-strong", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,separate-code",
    "-Wl,-rpath,$ORIGIN/../lib/contactless", "-s", "-w",
  ]

  /// A fault of a program, and a part of the sentence that names it.
  struct Fault: Sendable, CustomStringConvertible {
    let description: String
    /// Compiler options that are added.
    var added: [String] = []
    /// Compiler options that are left out.
    var removed: [String] = []
    /// A declaration that is added.
    var declaration = ""
    let sentence: String
  }

  static let faults = [
    Fault(description: "no PIE", added: ["-no-pie"], removed: ["-fPIE", "-pie"], sentence: "no PIE"),
    Fault(description: "no RELRO", added: ["-Wl,-z,norelro"], removed: ["-Wl,-z,relro"], sentence: "no RELRO"),
    Fault(description: "lazy binding", added: ["-Wl,-z,lazy"], removed: ["-Wl,-z,now"], sentence: "no BIND_NOW"),
    Fault(
      description: "text beside read-only data", added: ["-fuse-ld=bfd", "-Wl,-z,noseparate-code"],
      removed: ["-fuse-ld=lld", "-Wl,-z,separate-code"], sentence: "no segment of its own"),
    Fault(description: "an executable stack", added: ["-Wl,-z,execstack"], sentence: "stack is executable"),
    Fault(
      description: "no stack protector", added: ["-fno-stack-protector"], removed: ["-fstack-protector-strong"],
      sentence: "no stack protector"),
    Fault(
      description: "a RUNPATH beside the program", added: ["-Wl,-rpath,$ORIGIN"],
      sentence: "RUNPATH is $ORIGIN/../lib/contactless:$ORIGIN"),
    Fault(
      description: "an RPATH", added: ["-Wl,--disable-new-dtags"], sentence: "RPATH is $ORIGIN/../lib/contactless"),
    Fault(description: "symbols", removed: ["-s"], sentence: "it has symbols"),
    Fault(
      description: "a path of the build", declaration: #"const char *where = "/home/builder/Wallet.swift";"#,
      sentence: "paths of the build, such as /home/builder/Wallet.swift"),
    Fault(
      description: "a key of Fixtures in hex", declaration: #"const char *key = "00112233445566778899aabbccddeeff";"#,
      sentence: "test key 00112233"),
    Fault(
      description: "a key of the test issuer as octets",
      declaration: #"const char *key = "\xFE\xDC\xBA\x98\x76\x54\x32\x10\x01\x23\x45\x67\x89\xAB\xCD\xEF";"#,
      sentence: "test key FEDCBA98"),
    Fault(
      description: "a private key",
      declaration: #"const char *key = "-----BEGIN " "PRIVATE KEY-----\n";"#, sentence: "private key in PEM"),
  ]

  /// Compiles a program, and returns how the check of it ended.
  private func check(_ fault: Fault?, _ options: [String] = []) throws -> (ending: ProgramRun.Ending, output: String) {
    let scratch = try Scratch()
    let source = try scratch.write("program.c", "#include <stdio.h>\n\(fault?.declaration ?? "")\n\(Self.source)\n")
    let kept = Self.hardened.filter { fault?.removed.contains($0) != true }
    let compiling = try ProgramRun("clang", kept + (fault?.added ?? []) + ["-o", scratch.path("program"), source])
    #expect(try compiling.finish() == .exited(0), "\(compiling.errors)")
    let run = try ProgramRun(
      "/usr/bin/python3", [Self.root.appending(path: "tools/check-binaries").path] + options + [scratch.path("program")]
    )
    return (try run.finish(), run.output + run.errors)
  }

  @Test func `the check of binaries accepts a hardened program`() throws {
    let (ending, output) = try check(nil)
    #expect(ending == .exited(0), "\(output)")
    #expect(output.contains("CET is not available in Swift code"))
  }

  @Test(arguments: faults)
  func `the check of binaries refuses a program with one fault, and names no other`(_ fault: Fault) throws {
    let (ending, output) = try check(fault)
    #expect(ending == .exited(1), "\(output)")
    #expect(output.contains(fault.sentence), "\(output)")
    #expect(output.split(separator: "\n").count == 1, "\(output)")
  }

  @Test func `a key of the test issuer is accepted in a program that simulates the test issuer`() throws {
    let fault = try #require(Self.faults.first { $0.description == "a key of the test issuer as octets" })
    let (ending, output) = try check(fault, ["--test-issuer"])
    #expect(ending == .exited(0), "\(output)")
  }

  @Test func `a library in the folder of its program needs a RUNPATH that is named`() throws {
    let fault = try #require(Self.faults.first { $0.description == "a RUNPATH beside the program" })
    let (ending, output) = try check(fault, ["--runpath", "$ORIGIN/../lib/contactless:$ORIGIN"])
    #expect(ending == .exited(0), "\(output)")
  }
}
