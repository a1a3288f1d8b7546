import DeviceAuthentication
import Foundation
import LinuxDevice
import Octets
import TestSupport
import Testing

@Suite("A fingerprint reader behind fprintd", .blocks, .timeLimit(.minutes(20)))
struct FingerprintReaderTests {
  @Test func `without an enrolled finger nothing is enrolled, and a prompt fails`() async throws {
    let stage = try FingerprintStage()
    let reader = stage.makeReader()
    #expect(try await reader.enrolment() == .notEnrolled(.finger))
    #expect(await reader.failure?.kind == "biometricNotEnrolled")
  }

  @Test func `an enrolled finger matches, another one does not, and each prompt asks again`() async throws {
    let stage = try FingerprintStage()
    let reader = stage.makeReader()
    try stage.enrol("right-index-finger", as: "right")
    #expect(try await reader.enrolment().state == .enrolled)
    for (name, result) in [("right", BiometricResult.matched), ("other", .notMatched), ("right", .matched)] {
      let answer = reader.prompt()
      try stage.scan("SCAN \(name)")
      #expect(try await answer.value == result)
    }
  }

  @Test func `a scan that cannot be used is followed by another one in the same prompt`() async throws {
    let stage = try FingerprintStage()
    try stage.enrol("right-index-finger", as: "right")
    let first = stage.makeReader().prompt()
    try stage.scan("RETRY 0", "RETRY 1", "RETRY 2", "RETRY 3", "SCAN right")
    #expect(try await first.value == .matched)
    let second = stage.makeReader().prompt()
    try stage.scan("RETRY 0", "SCAN other")
    #expect(try await second.value == .notMatched)
  }

  @Test func `each of two enrolled fingers matches on a reader that compares with one finger`() async throws {
    let stage = try FingerprintStage()
    let reader = stage.makeReader()
    try stage.enrol("right-index-finger", as: "right")
    try stage.enrol("left-index-finger", as: "left")
    // The reader compares with the first finger of the list, and in a second scan with the other one.
    let first = try stage.run("fprintd-list", FingerprintStage.user).contains("#0: right-index") ? "right" : "left"
    var comparisons = 0
    let second = first == "right" ? "left" : "right"
    for (name, result) in [(first, BiometricResult.matched), (second, .matched), ("other", .notMatched)] {
      let answer = reader.prompt()
      for _ in 0..<(name == first ? 1 : 2) {
        comparisons += 1
        try stage.scan("SCAN \(name)", comparison: comparisons)
      }
      #expect(try await answer.value == result, "\(name)")
    }
  }

  @Test func `the digest changes with every finger, also with one that is enrolled anew`() async throws {
    let stage = try FingerprintStage()
    let reader = stage.makeReader()
    var digests: Set<[UInt8]> = []
    for (finger, name) in [("right-index-finger", "a"), ("left-thumb", "b"), ("left-thumb", "c")] {
      try stage.enrol(finger, as: name)
      let enrolment = try await reader.enrolment()
      #expect(enrolment.state == .enrolled && enrolment.digest.count == 32 && enrolment.kind == .finger)
      #expect(try await reader.enrolment() == enrolment)
      digests.insert(enrolment.digest)
    }
    #expect(digests.count == 3)
    try stage.run("fprintd-delete", FingerprintStage.user)
    #expect(try await reader.enrolment() == .notEnrolled(.finger))
  }

  @Test func `a machine without a reader has no biometrics`() async throws {
    let stage = try FingerprintStage(.none)
    let reader = stage.makeReader()
    #expect(try await reader.enrolment() == .unavailable(.finger, reason: "no fingerprint reader is connected"))
    #expect(await reader.failure == .unavailable(reason: "no fingerprint reader is connected"))
  }

  @Test func `a program without the permission gets the remedy`() async throws {
    let stage = try FingerprintStage(isAllowed: false)
    for error in [
      await stage.makeReader().failure,
      await thrown { () throws(DeviceAuthenticationError) in try await stage.makeReader().enrolment() },
    ] {
      #expect(error?.kind == "unavailable" && "\(error, default: "")".contains("net.reactivated.fprint.device.verify"))
    }
  }

  @Test(arguments: ["unix:path=/nonexistent/bus", "nonsense", ""])
  func `a bus that is not there is unavailable`(_ address: String) async throws {
    let reader = FingerprintReader(user: FingerprintStage.user, address: address)
    #expect(await reader.failure?.kind == "unavailable")
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await reader.enrolment() }?.kind == "unavailable")
  }

  @Test func `a bus without fprintd has no biometrics`() async throws {
    let stage = try FingerprintStage()
    stage.killService()
    _ = stage.service.wait(timeout: FingerprintStage.limit)
    // The bus removes the name a moment after the end of the program.
    while try stage.run(
      "gdbus", "call", "--system", "-d", "org.freedesktop.DBus", "-o", "/", "-m",
      "org.freedesktop.DBus.NameHasOwner", "net.reactivated.Fprint"
    ).contains("true") {}
    #expect(try await stage.makeReader().enrolment() == .unavailable(.finger, reason: "fprintd is not installed"))
  }
}

extension FingerprintReader {
  /// Opens a prompt. The task runs on the shared threads, since those of a suite that blocks wait for the prompt.
  func prompt() -> Task<BiometricResult, any Error> {
    Task { try await verify(prompt: "Pay", offeringPasscode: true) }
  }

  /// The error of one prompt.
  var failure: DeviceAuthenticationError? {
    get async {
      await thrown { () throws(DeviceAuthenticationError) in try await verify(prompt: "Pay", offeringPasscode: false) }
    }
  }
}
