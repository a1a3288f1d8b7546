import Foundation
import TestSupport
import Testing

/// `tools/dependencies`, which compares the Swift packages of a build with the reviewed ones, on a build of one package.
@Suite("tools/dependencies", .blocks, .timeLimit(.minutes(10)))
struct DependencyTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  private static let apache = "Apache License, Version 2.0"
  private static let location = "https://example.org/toy"

  /// A build that differs from the reviewed one, and how the check ends.
  struct Difference: Sendable, CustomStringConvertible {
    let description: String
    var version = "1.2.0"
    var licence = DependencyTests.apache
    var content = "let answer = 42"
    var location = DependencyTests.location
    /// What is written into a file after the checkout; nil: nothing.
    var edit: String?
    var identity = "toy"
    let sentence: String
    var isProblem = true
  }

  static let differences = [
    Difference(description: "an unknown package", identity: "stranger", sentence: "is not listed"),
    Difference(
      description: "another licence", licence: "GNU General Public License", sentence: "an unknown licence, not"),
    Difference(
      description: "the MIT licence", licence: "Permission is hereby granted, free of charge",
      sentence: "its licence is MIT, not Apache-2.0"),
    Difference(description: "another tree", content: "let answer = 43", sentence: "the version was published again"),
    Difference(description: "another origin", location: "https://example.org/fork", sentence: "it is from"),
    Difference(description: "an edited file", edit: "let answer = 41", sentence: "were changed after the checkout"),
    Difference(description: "a version in an advisory", version: "1.3.5", sentence: "1.3.5 is in CVE-2026-1"),
    Difference(description: "an older version", version: "1.1.9", sentence: "older than the reviewed 1.2.0"),
    Difference(
      description: "a newer version", version: "1.10.0", sentence: "warning: toy: 1.10.0 is newer", isProblem: false),
  ]

  /// Makes a build with one checkout in a folder.
  private func makeBuild(_ build: String, _ difference: Difference) throws {
    let script = """
      set -e
      mkdir -p "$1/checkouts/toy" && cd "$1/checkouts/toy"
      printf '%s' "$2" > LICENSE.txt
      printf '%s' "$3" > Toy.swift
      git init -q . && git add .
      git -c user.name=Toy -c user.email=toy@example.org commit -q -m Toy
      [ -z "$4" ] || printf '%s' "$4" > Toy.swift
      """
    let making = try ProgramRun(
      "sh", ["-c", script, "sh", build, difference.licence, difference.content, difference.edit ?? ""])
    try #require(try making.finish() == .exited(0), "\(making.errors)")
    let state = """
      {"object": {"dependencies": [{"packageRef": {"identity": "\(difference.identity)", "location": "\(difference.location)"},
        "state": {"checkoutState": {"version": "\(difference.version)"}}, "subpath": "toy"}]}}
      """
    try state.write(toFile: build + "/workspace-state.json", atomically: true, encoding: .utf8)
  }

  private func run(_ action: String, _ build: String, _ list: String) throws -> (
    ending: ProgramRun.Ending, errors: String
  ) {
    let program = Self.root.appending(path: "tools/dependencies").path
    let run = try ProgramRun("/usr/bin/python3", [program, action, "--scratch-path", build, "--list", list])
    return (try run.finish(), run.errors)
  }

  /// Returns a list that was accepted for the reviewed build.
  private func reviewed(_ scratch: Scratch) throws -> String {
    let list = try scratch.write(
      "list.json",
      #"{"packages": {}, "advisories": [{"package": "toy", "identifier": "CVE-2026-1", "from": "1.3.0", "fixed": "1.4.0"}]}"#
    )
    try makeBuild(scratch.path("reviewed"), Difference(description: "the reviewed build", sentence: ""))
    #expect(try run("--accept", scratch.path("reviewed"), list).ending == .exited(0))
    return list
  }

  @Test func `the check of packages accepts the reviewed build`() throws {
    let scratch = try Scratch()
    let list = try reviewed(scratch)
    let (ending, errors) = try run("--check", scratch.path("reviewed"), list)
    #expect(ending == .exited(0), "\(errors)")
    #expect(errors.isEmpty)
  }

  @Test(arguments: differences)
  func `the check of packages names a difference from the reviewed build`(_ difference: Difference) throws {
    let scratch = try Scratch()
    let list = try reviewed(scratch)
    try makeBuild(scratch.path("build"), difference)
    let (ending, errors) = try run("--check", scratch.path("build"), list)
    #expect(ending == .exited(difference.isProblem ? 1 : 0), "\(errors)")
    #expect(errors.contains(difference.sentence), "\(errors)")
  }
}
