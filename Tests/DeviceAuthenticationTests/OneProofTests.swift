import DeviceAuthentication
import Octets
import TestSupport
import Testing

@Suite("One verification of the holder")
struct OneProofTests {
  private let clock = ManualClock()

  @Test func `a verification for signing signs with its key`() async throws {
    let (verifier, key) = try await holder(.signing, clock)
    let proof = try await verifier.verify(for: .signing, validity: .seconds(1), prompt: "Sign in")
    let digest = [UInt8](repeating: 9, count: 32)
    #expect(try await proof.sign(digest, with: key) == ToySigning().sign(digest, with: ToySigning().generate()))
  }

  @Test func `a verification for unsealing yields the bytes of its key`() async throws {
    let device = device()
    let (verifier, key) = try await holder(.sealing, clock, on: device)
    let proof = try await verifier.verify(for: .unsealing, validity: .seconds(1), prompt: "Log in")
    let octets = try await proof.unseal(key).withExposedOctets { octets in octets.indices.map { octets[$0] } }
    let stored = try await device.ports.keys.unseal(key)
    #expect(stored.withExposedOctets { stored in stored.indices.map { stored[$0] } } == octets)
  }

  @Test func `a verification is redeemed until its deadline and not after it`() async throws {
    let digest = [UInt8](repeating: 9, count: 32)
    for (kind, purpose) in [(ProtectedKeyKind.signing, VerificationPurpose.signing), (.sealing, .unsealing)] {
      for (late, expected) in [(Int64(0), DeviceAuthenticationError?.none), (1, .verificationExpired)] {
        let (verifier, key) = try await holder(kind, clock)
        let proof = try await verifier.verify(for: purpose, validity: .seconds(1), prompt: "p")
        clock.advance(by: .seconds(1) + .nanoseconds(late))
        let error = await use(proof, purpose, key, digest)
        #expect(error == expected, "\(purpose)")
      }
    }
  }

  @Test(arguments: [VerificationPurpose.signing, .unsealing])
  func `a key that is invalidated after the verification is not used`(_ purpose: VerificationPurpose) async throws {
    let device = device()
    let (verifier, key) = try await holder(purpose == .signing ? .signing : .sealing, clock, on: device)
    let proof = try await verifier.verify(for: purpose, validity: .seconds(1), prompt: "p")
    device.disableLockScreen()
    let error = await use(proof, purpose, key, [UInt8](repeating: 9, count: 32))
    #expect(error?.kind == "authenticationKeyInvalidated")
  }

  @Test func `a verification for arming is redeemed by nothing else`() async {
    await #expect(processExitsWith: .success) { try await redeem(.arming(nonce: [1]), as: .arming(nonce: [1])) }
    await #expect(processExitsWith: .failure) { try await redeem(.arming(nonce: [1]), as: .arming(nonce: [2])) }
    await #expect(processExitsWith: .failure) { try await redeem(.arming(nonce: [1]), as: .signing) }
    await #expect(processExitsWith: .failure) { try await redeem(.arming(nonce: [1]), as: .unsealing) }
  }

  @Test func `a verification for signing is redeemed by nothing else`() async {
    await #expect(processExitsWith: .success) { try await redeem(.signing, as: .signing) }
    await #expect(processExitsWith: .failure) { try await redeem(.signing, as: .signing, otherKey: true) }
    await #expect(processExitsWith: .failure) { try await redeem(.signing, as: .arming(nonce: [1])) }
    await #expect(processExitsWith: .failure) { try await redeem(.signing, as: .unsealing) }
  }

  @Test func `a verification for unsealing is redeemed by nothing else`() async {
    await #expect(processExitsWith: .success) { try await redeem(.unsealing, as: .unsealing) }
    await #expect(processExitsWith: .failure) { try await redeem(.unsealing, as: .unsealing, otherKey: true) }
    await #expect(processExitsWith: .failure) { try await redeem(.unsealing, as: .arming(nonce: [1])) }
    await #expect(processExitsWith: .failure) { try await redeem(.unsealing, as: .signing) }
  }
}

/// Returns a verifier that is bound to a new key.
private func holder(
  _ kind: ProtectedKeyKind, _ clock: ManualClock, on device: SimulatedDevice = device()
) async throws -> (HolderVerifier, KeyIdentifier) {
  let unbound = HolderVerifier(rules: .cdcvm(.biometricOnly), ports: device.ports, clock: clock)
  let key = try await unbound.enrolKey(kind)
  return (unbound.bound(to: key), key.identifier)
}

/// Redeems a proof by a purpose and returns the error.
private func use(
  _ proof: consuming CardholderVerification, _ purpose: VerificationPurpose, _ key: KeyIdentifier, _ digest: [UInt8]
) async -> DeviceAuthenticationError? {
  do throws(DeviceAuthenticationError) {
    switch purpose {
    case .arming(let nonce): _ = proof.redeem(nonce: nonce)
    case .signing: _ = try await proof.sign(digest, with: key)
    case .unsealing: _ = try await proof.unseal(key)
    }
    return nil
  } catch {
    return error
  }
}

private func redeem(
  _ purpose: VerificationPurpose, as other: VerificationPurpose, otherKey: Bool = false
) async throws {
  let device = device()
  let (verifier, own) = try await holder(purpose == .signing ? .signing : .sealing, ManualClock(), on: device)
  let key = otherKey ? try await device.ports.keys.create(.sealing) : own
  let proof = try await verifier.verify(for: purpose, validity: .seconds(1), prompt: "p")
  _ = await use(proof, other, key, [UInt8](repeating: 9, count: 32))
}
