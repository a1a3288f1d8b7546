import Crypto
import Hummingbird
import HummingbirdTLS
import NIOSSL
import X509
