public import DeviceAuthentication
internal import DisplayText
internal import Glibc
internal import Octets

/// Checks what the device of a socket can do. Shows no prompt. It creates a key, uses it and deletes it again.
public struct DeviceSurvey: Sendable {
  private let client: DeviceLinkClient
  private let integrity: any DeviceIntegrity
  private let pam: String

  /// Describes a survey.
  ///
  /// - Parameter pam: The directory of PAM's service files.
  public init(
    _ client: DeviceLinkClient, integrity: any DeviceIntegrity = ProcessIntegrity(), pam: String = "/etc/pam.d"
  ) {
    self.client = client
    self.integrity = integrity
    self.pam = pam
  }

  /// Runs every check. Without a device at the socket, only those of this process.
  public func findings() async -> [DeviceFinding] {
    let own = [terminal(), checkedIntegrity()]
    let ports = client.ports
    do throws(DeviceAuthenticationError) {
      let enrolment = try await ports.biometric.enrolment()
      let lock = await lock(ports.lock)
      return await [
        DeviceFinding(.program, .works, "tap-device answers at \(client.socket)"), lock, biometrics(enrolment),
      ]
        + [PasswordHookLines(in: pam).finding, epoch(ports.lock)] + keys(ports.keys, isLockSet: lock.verdict == .works)
        + own
    } catch {
      return [
        DeviceFinding(
          .program, .broken, "\(error)",
          remedy: "as root: tap-device serve --user NAME --socket \(client.socket.shellWord)")
      ] + own
    }
  }

  private func terminal() -> DeviceFinding {
    // The call only reads the path.
    let descriptor = unsafe open(client.terminal, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, isatty(descriptor) == 1 else {
      return DeviceFinding(
        .terminal, .missing, "\(client.terminal) is no terminal to enter the passcode on",
        remedy: "run this program in a terminal; biometrics need none")
    }
    return DeviceFinding(.terminal, .works, "the passcode is entered on \(client.terminal)")
  }

  private func checkedIntegrity() -> DeviceFinding {
    let findings = integrity.findings()
    guard !findings.isEmpty else {
      let text = "no sign of tampering with this program"
      guard let checks = integrity as? ProcessIntegrity else { return DeviceFinding(.integrity, .works, text) }
      let folder = checks.ownerFolder.map { ", but its owner can change it in \($0)" } ?? ""
      return DeviceFinding(
        .integrity, .works, ([text + folder] + ProcessIntegrity.remarks).joined(separator: "; "))
    }
    return DeviceFinding(
      .integrity, .broken, "this program is observed or was changed",
      remedy: findings.map(\.description).joined(separator: "; "))
  }

  private func lock(_ lock: any DeviceLock) async -> DeviceFinding {
    do throws(DeviceAuthenticationError) {
      guard try await lock.isSet() else {
        return DeviceFinding(.lock, .missing, "the user has no passcode", remedy: "set one: passwd")
      }
      return DeviceFinding(.lock, .works, "a passcode is set")
    } catch {
      return DeviceFinding(.lock, .broken, "\(error)", remedy: "see the messages of tap-device")
    }
  }

  private func biometrics(_ enrolment: BiometricEnrolment) -> DeviceFinding {
    switch enrolment.state {
    case .enrolled: DeviceFinding(.biometrics, .works, "a \(enrolment.kind.rawValue) is enrolled")
    case .notEnrolled:
      DeviceFinding(
        .biometrics, .missing, "no \(enrolment.kind.rawValue) is enrolled",
        remedy: "enrol one: fprintd-enroll. The policy userPresence works without")
    case .unavailable(let reason):
      DeviceFinding(
        .biometrics, .broken, reason,
        remedy: "connect a sensor that libfprint supports and install fprintd. The policy userPresence works without")
    }
  }

  private func epoch(_ lock: any DeviceLock) async -> DeviceFinding {
    do throws(DeviceAuthenticationError) {
      let epoch = try await lock.epoch()
      return DeviceFinding(.epoch, .works, "removals of the lock are counted, epoch \(epoch.rawValue)")
    } catch {
      return DeviceFinding(
        .epoch, .broken, "\(error)", remedy: "enable the TPM 2.0 in the firmware, or name another with --tcti")
    }
  }

  /// Creates a key, uses it and deletes it, which needs a lock.
  private func keys(_ keys: any ProtectedKeyStore, isLockSet: Bool) async -> [DeviceFinding] {
    guard isLockSet else {
      return [DeviceFinding(.keys, .missing, "keys need a passcode", remedy: "set one: passwd")]
    }
    do throws(DeviceAuthenticationError) {
      let key = try await keys.create(.sealing)
      let access = try await keys.access(key)
      try await keys.delete(key)
      guard access == .usable else { throw .unavailable(reason: "a new key does not work") }
      return [
        DeviceFinding(.keys, .works, "a key was created, used and deleted"),
        await counters(keys),
      ] + (await raisedCounters(keys))
    } catch {
      if let count = try? await keys.list().count, count >= ListedKey.limit {
        return [DeviceFinding(.keys, .missing, "a further key is refused at \(count) keys", remedy: Self.keyRemedy)]
      }
      return [
        DeviceFinding(
          .keys, .broken, "\(error)", remedy: "enable the TPM 2.0 in the firmware, or name another with --tcti")
      ]
    }
  }
}

extension DeviceSurvey {
  private static let keyRemedy = """
    list the keys with tap device keys list, and delete those of wallets that were removed with tap device keys delete
    """

  /// Creates a key with a counter and deletes it.
  private func counters(_ keys: any ProtectedKeyStore) async -> DeviceFinding {
    do throws(DeviceAuthenticationError) {
      let key = try await keys.create(.sealing, counting: true)
      try await keys.delete(key)
      return DeviceFinding(.counters, .works, "a further wallet gets a counter: a copy of an older one is noticed")
    } catch {
      return DeviceFinding(
        .counters, .missing, "a further wallet gets no counter: \(error)",
        remedy: Self.keyRemedy)
    }
  }
}

extension DeviceSurvey {
  /// Names the counters that another program than the device's own has raised.
  private func raisedCounters(_ keys: any ProtectedKeyStore) async -> [DeviceFinding] {
    var findings: [DeviceFinding] = []
    for key in (try? await keys.list()) ?? [] {
      guard let count = key.count, let present = try? await keys.counter(of: key.identifier), present > count else {
        continue
      }
      findings.append(
        DeviceFinding(
          .counters, .broken,
          "another program has raised the counter of the key \(key.identifier.octets.hex) from \(count) to \(present)",
          remedy: """
            let only root and tap-device use the TPM; a wallet that has this key refuses to pay: reset it, and set it up again
            """))
    }
    return findings
  }
}

extension [DeviceFinding] {
  /// Whether the device can verify a cardholder under a policy now.
  public func allow(_ policy: CardholderVerificationPolicy) -> Bool {
    let needed: Set<DeviceFinding.Part> =
      switch policy {
      case .biometricOnly: [.program, .lock, .biometrics, .epoch, .keys, .integrity]
      case .userPresence: [.program, .lock, .epoch, .keys, .integrity]
      }
    let works = Set(filter { $0.verdict == .works }.map(\.part))
    // Without a sensor the passcode is the only method, and needs a terminal.
    return works.isSuperset(of: needed) && (works.contains(.biometrics) || works.contains(.terminal))
  }
}
