internal import DeviceAuthentication
internal import Octets

/// What an armed card depends on: its state in the store, and the device.
struct PaymentSubject: Sendable {
  let store: any WalletStore
  let device: any DeviceMonitor
  /// The number of the card in its store.
  let card: Int64
  let key: KeyIdentifier?
  /// Whether something must be enrolled on the sensor.
  let needsEnrolment: Bool
  /// The page that the card uses; nil where the store has none.
  let page: WithdrawalPage?

  /// The result of one reading.
  enum Reading: Sendable {
    /// The payment may go on.
    case unchanged
    case found(PaymentFinding)
    /// The store or the device could not be read, for this reason.
    case failed(String)
  }

  /// Whether a reading may wait.
  var mayBlock: Bool { store.mayBlock || device.mayBlock }

  /// Reads the store, then the device.
  func reading() -> Reading {
    switch storeReading() {
    case .unchanged: deviceReading()
    case let reading: reading
    }
  }

  private func storeReading() -> Reading {
    do throws(WalletStoreError) {
      let status = try store.status(ofCard: card)
      if let revocation = status.revocation(under: key) { return .found(.revoked(revocation)) }
      return page?.isInPlace == false ? .found(.revoked(.storeRemoved)) : .unchanged
    } catch .removed {
      return .found(.revoked(.storeRemoved))
    } catch {
      return .failed("the wallet's store could not be read (\(error))")
    }
  }

  private func deviceReading() -> Reading {
    guard let key else { return .unchanged }
    do throws(DeviceAuthenticationError) {
      return switch try device.status(of: key, needsEnrolment: needsEnrolment) {
      case .usable: .unchanged
      case .keyLost: .found(.keyLost)
      case .nothingEnrolled: .found(.nothingEnrolled)
      }
    } catch {
      return .failed("the device could not be read (\(error))")
    }
  }
}
